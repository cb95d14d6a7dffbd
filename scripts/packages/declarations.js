// @ts-check
import ts from 'typescript'

/**
 * The types of a package as one file that imports nothing: those that its entry exports, and those that they
 * are made of. The same text serves `import` and `require`.
 *
 * @param {string} entry
 */
export function declarationsOf(entry) {
  /** @type {ts.SourceFile[]} */
  const files = []
  const program = ts.createProgram([entry], {
    declaration: true,
    emitDeclarationOnly: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    allowImportingTsExtensions: true,
    allowJs: true,
    checkJs: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    newLine: ts.NewLineKind.LineFeed,
    outDir: '/declarations',
  })
  const [problem] = ts.getPreEmitDiagnostics(program)
  if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'))
  program.emit(undefined, (path, text, _mark, _onError, sources) => {
    const isScript = sources?.some(({ fileName }) => fileName.endsWith('.js'))
    const declarations = isScript ? withoutTypeTags(text) : text
    files.push(ts.createSourceFile(path, declarations, ts.ScriptTarget.ESNext, true))
  })
  const declarations = new Map(files.flatMap(declarationsIn))
  const names = exportedNames(program, entry)
  const kept = reachable(declarations, names)
  const texts = Array.from(declarations).flatMap(([name, text]) => (kept.has(name) ? [text] : []))
  return `${texts.join('\n')}\nexport { ${names.join(', ')} }\n`
}

/**
 * The declarations of a JavaScript module as those of a TypeScript one: its comments without types.
 *
 * @param {string} text
 */
const withoutTypeTags = (text) =>
  text
    .replaceAll(/\/\*\*(?: @(?:import|param|readonly)[^*]*|(?:\s*\* @import[^\n]*)+\s*)\*\/\s*/g, '')
    .replaceAll(/^ *\* @(?:param|returns|template)\b.*\n/gm, '')
    .replaceAll(/^export (?=class|function)/gm, 'export declare ')

/**
 * The declarations of a file by their names, without `export`.
 *
 * @param {ts.SourceFile} file
 * @returns {[name: string, text: string][]}
 */
function declarationsIn(file) {
  return file.statements.flatMap((statement) => {
    const name = nameOf(statement)
    if (name === undefined) return []
    const exported = ts.canHaveModifiers(statement)
      ? ts.getModifiers(statement)?.find(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
      : undefined
    const before = file.text.slice(
      statement.getFullStart(),
      exported?.getStart(file) ?? statement.getStart(file),
    )
    const after = file.text.slice(exported?.getEnd() ?? statement.getStart(file), statement.getEnd())
    return [[name, `${before.trimStart()}${after.trimStart()}`]]
  })
}

/** @param {ts.Statement} statement */
function nameOf(statement) {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations[0]?.name.getText()
  const isNamed =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement)
  return isNamed ? statement.name?.getText() : undefined
}

/**
 * @param {ts.Program} program
 * @param {string} entry
 */
function exportedNames(program, entry) {
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(entry)
  const symbol = file && checker.getSymbolAtLocation(file)
  return symbol ? checker.getExportsOfModule(symbol).map(({ name }) => name) : []
}

/**
 * The declarations that the named ones are made of, and these.
 *
 * @param {ReadonlyMap<string, string>} declarations
 * @param {readonly string[]} names
 */
function reachable(declarations, names) {
  const kept = new Set(names)
  // a set's iterator also visits what is added while it runs
  for (const name of kept) {
    const text = declarations.get(name)?.replaceAll(/\/\*\*[\s\S]*?\*\//g, '') ?? ''
    for (const [word] of text.matchAll(/\b[A-Za-z]\w*/g)) if (declarations.has(word)) kept.add(word)
  }
  return kept
}
