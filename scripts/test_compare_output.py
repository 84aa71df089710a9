"""What scripts/compare-output takes for equal: python3 -m unittest discover -s scripts -p 'test_*.py'"""

import importlib.machinery
import importlib.util
import pathlib
import unittest

FILE = pathlib.Path(__file__).resolve().parent / "compare-output"
loader = importlib.machinery.SourceFileLoader("compare_output", str(FILE))
compare_output = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_output", loader))
loader.exec_module(compare_output)

PTX = """// hash
.version 7.8
.global .align 1 .b8 alloc_{constant}[1];
.visible .entry kernel()
{{
$L__BB{number}_1: // %body
	{instruction}
	bra $L__BB{number}_1;
}}
.func {function}()
{{
	ret;
}}
"""
RUST = "_RNvCs1_10omptarget3foo", "_RNvNtCs2_10omptarget3bar3foo"
OBJECT = """
a.o:	file format elf64-x86-64

Disassembly of section .text:

<kernel>:
    movl	{value}, %eax
    callq	0x40 <{function}>
		R_X86_64_PC32	.rodata.cst32{offset}
<L0>:
    jmp	 <L0>
{padding}
<{function}>:
    retq
"""


def ptx(constant="0" * 32, number=0, instruction="add.s32 %r1, %r1, 1;", function=RUST[0]):
    return parts(compare_output.parts_of_ptx, PTX, constant=constant, number=number, instruction=instruction, function=function)


def machine_code(value="$0x1", function=RUST[0], offset="+0x20", padding="    nop"):
    return parts(compare_output.parts_of_disassembly, OBJECT, value=value, function=function, offset=offset, padding=padding)


def parts(split, text, **values):
    return [compare_output.without_names(part, []) for part in split(text.format(**values))]


class Equal(unittest.TestCase):
    def test_names_and_numbers_of_functions_do_not_count(self):
        self.assertEqual(compare_output.difference(ptx(), ptx("1" * 32, 7, function=RUST[1])), "")
        self.assertEqual(compare_output.difference(machine_code(), machine_code("$0x1", RUST[1], "+0x60", "")), "")

    def test_order_does_not_count(self):
        self.assertEqual(compare_output.difference(ptx(), ptx()[::-1]), "")

    def test_a_renamed_symbol_may_be_named(self):
        self.assertEqual(compare_output.without_names("st [share_stack]", [("share_stack", "stack")]), "st [stack]")


class Different(unittest.TestCase):
    def test_an_instruction(self):
        self.assertIn("+\tadd.s32 %r1, %r1, 2;", compare_output.difference(ptx(), ptx(instruction="add.s32 %r1, %r1, 2;")))
        self.assertIn("+movl\t$0x2, %eax", compare_output.difference(machine_code(), machine_code("$0x2")))

    def test_a_name_of_the_abi(self):
        self.assertTrue(compare_output.difference(ptx(function="__kmpc_a"), ptx(function="__kmpc_b")))

    def test_a_function_more(self):
        self.assertIn("+1 in number", compare_output.difference(ptx(), ptx() + ["another"]))


if __name__ == "__main__":
    unittest.main()
