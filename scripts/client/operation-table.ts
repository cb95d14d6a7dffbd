import { type ApiDocument, bodySchema, hasHeader, pathParameters, queryOf } from './document.ts'
import { isList, type Method, methodsOf } from './resource-types.ts'

/** A resource of the client: a method is text, a resource below it a table. */
interface Table {
  [name: string]: string | Table
}

/** The operations by resource, as the client reads them at run time. */
export function operationTable(document: ApiDocument): string {
  const root: Table = {}
  for (const method of methodsOf(document)) {
    const path = method.name.split('.')
    const last = path.pop() ?? ''
    let table = root
    for (const part of path) {
      const below = table[part] ?? {}
      if (typeof below === 'string') throw new Error(`${method.name}: ${part} is a method and a resource`)
      table[part] = below
      table = below
    }
    if (table[last] !== undefined) throw new Error(`${method.name} is the name of two operations`)
    table[last] = describe(method)
  }
  return `export const operations = ${JSON.stringify(root, null, 2)} as const`
}

/** `POST bk /transactions/{}/capture`: the verb, the marks, and the path with a place for each parameter. */
function describe(method: Method): string {
  const { verb, path, operation } = method
  const marks = [
    verb !== 'GET' && bodySchema(operation) ? 'b' : '',
    queryOf(operation).length > 0 ? 'q' : '',
    hasHeader(operation, 'idempotency-key') ? 'k' : '',
    isList(method) ? 'l' : '',
    queryOf(operation).some(({ name }) => name === 'after') ? 'f' : '',
  ].join('')
  const places = pathParameters(path).reduce((text, name) => text.replace(`{${name}}`, '{}'), path)
  return `${verb} ${marks} ${places}`
}
