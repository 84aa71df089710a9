//! Places in the user's source, from `.file` and `.loc`, and lines of the PTX itself.

use std::collections::BTreeMap;

use crate::syntax::Module;

/// The kind of metadata that names an instruction's line in the PTX: a tuple of the number.
pub const LINE_METADATA: &str = "ptx.line";

/// The named metadata of modules that were PTX.
pub const MODULE_METADATA: &str = "omptarget.ptx";

/// Metadata of a module under construction.
pub struct Debug<'a> {
    files: BTreeMap<u64, &'a str>,
    /// Nodes, by their number.
    nodes: Vec<String>,
    /// Nodes that are there already.
    known: BTreeMap<String, usize>,
    /// Subprograms.
    units: BTreeMap<u64, usize>,
}

impl<'a> Debug<'a> {
    /// The metadata of a module with these files.
    pub fn new(module: &Module<'a>) -> Debug<'a> {
        Debug {
            files: module.files.iter().copied().collect(),
            nodes: Vec::new(),
            known: BTreeMap::new(),
            units: BTreeMap::new(),
        }
    }

    /// The subprogram of a function whose code begins in a file. `None`: the file is not said.
    pub fn subprogram(&mut self, function: &str, file: u64, line: u64) -> Option<usize> {
        let scope = self.file(file)?;
        let unit = self.unit(file, scope);
        let types = self.node("!{null}");
        let ty = self.node(&format!("!DISubroutineType(types: !{types})"));
        let name = escaped(function);
        self.nodes.push(format!(
            "distinct !DISubprogram(name: \"{name}\", scope: !{scope}, file: !{scope}, line: {line}, type: !{ty}, \
             scopeLine: {line}, spFlags: DISPFlagDefinition, unit: !{unit})"
        ));
        Some(self.nodes.len() - 1)
    }

    /// A place in a function.
    pub fn location(
        &mut self,
        subprogram: usize,
        file: u64,
        line: u64,
        column: u64,
    ) -> Option<usize> {
        let file = self.file(file)?;
        let scope = self.node(&format!(
            "!DILexicalBlockFile(scope: !{subprogram}, file: !{file}, discriminator: 0)"
        ));
        // LLVM keeps 16 bits.
        let column = u16::try_from(column).unwrap_or(0);
        let line = u32::try_from(line).unwrap_or(0);
        Some(self.node(&format!(
            "!DILocation(line: {line}, column: {column}, scope: !{scope})"
        )))
    }

    /// The number of a line of the PTX.
    pub fn line(&mut self, line: u32) -> usize {
        self.node(&format!("!{{i32 {line}}}"))
    }

    /// All nodes, and what LLVM wants to be told of them.
    pub fn text(mut self) -> String {
        let mut flags = Vec::new();
        if !self.units.is_empty() {
            flags.push(self.node("!{i32 2, !\"Debug Info Version\", i32 3}"));
        }
        let mark = self.node("!{i32 1}");
        let mut text = format!("!{MODULE_METADATA} = !{{!{mark}}}\n");
        for (index, node) in self.nodes.iter().enumerate() {
            text += &format!("!{index} = {node}\n");
        }
        let list = |nodes: &mut dyn Iterator<Item = usize>| {
            nodes
                .map(|node| format!("!{node}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        if !flags.is_empty() {
            text += &format!(
                "!llvm.module.flags = !{{{}}}\n",
                list(&mut flags.into_iter())
            );
            text += &format!(
                "!llvm.dbg.cu = !{{{}}}\n",
                list(&mut self.units.values().copied())
            );
        }
        text
    }

    fn node(&mut self, text: &str) -> usize {
        if let Some(&known) = self.known.get(text) {
            return known;
        }
        self.nodes.push(text.to_owned());
        self.known.insert(text.to_owned(), self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn file(&mut self, index: u64) -> Option<usize> {
        let name = *self.files.get(&index)?;
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        let node = match folder {
            "" => format!("!DIFile(filename: \"{}\", directory: \"\")", escaped(file)),
            _ => format!("!DIFile(filename: \"{}\", directory: \"\")", escaped(name)),
        };
        Some(self.node(&node))
    }

    fn unit(&mut self, file: u64, scope: usize) -> usize {
        if let Some(&known) = self.units.get(&file) {
            return known;
        }
        self.nodes.push(format!(
            "distinct !DICompileUnit(language: DW_LANG_C99, file: !{scope}, producer: \"PTX\", isOptimized: true, \
             runtimeVersion: 0, emissionKind: LineTablesOnly)"
        ));
        self.units.insert(file, self.nodes.len() - 1);
        self.nodes.len() - 1
    }
}

/// A text as LLVM assembly has it in quotes.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => out += &format!("\\{byte:02X}"),
            _ => out.push(byte as char),
        }
    }
    out
}
