"""Programs that were built on one machine and run on another, which has a GPU and no compiler."""

import json
import shutil
import subprocess

LIST = "programs.json"
# What a program does not read.
SOURCES = {".a", ".c", ".cc", ".cpp", ".cu", ".cuh", ".cxx", ".h", ".hpp", ".md", ".o", ".py", ".sln", ".txt", ".vcxproj"}
# A data file of more bytes stays here.
MOST = 1 << 20
ELF = b"\x7fELF"


def is_program(file):
    """Whether the system can run a file."""
    with file.open("rb") as content:
        return content.read(4) == ELF


def pack(case, runs, folder):
    """Copies a program that is built, with the small files beside it, and notes how it is run."""
    place = folder / case.name
    place.mkdir(parents=True, exist_ok=True)
    for file in case.folder.iterdir():
        if not file.is_file() or file.name == "Makefile" or file.suffix in SOURCES:
            continue
        if is_program(file):
            subprocess.run(["strip", "-o", place / file.name, file], check=True)
        elif file.stat().st_size <= MOST:
            shutil.copy2(file, place / file.name)
    (place / LIST).write_text(json.dumps([[str(word) for word in command] for command in runs]) + "\n")


def programs(folder):
    """The name, the folder and the commands of each program that was packed."""
    for found in sorted(folder.glob(f"*/{LIST}")):
        yield found.parent.name, found.parent, json.loads(found.read_text())
