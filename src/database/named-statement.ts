import type { QueryResultRow } from 'pg'
import type { Statements } from './statements.ts'

/** SQL whose parameters have names. */
interface NamedStatement<Name extends string> {
  /** What PostgreSQL prepares, with `$1`, `$2` … in it; made once, when the module is loaded. */
  readonly text: string
  /** In the order of `$1`, `$2` … */
  readonly names: readonly Name[]
  /** Runs it as a prepared statement. The compiler refuses a missing and an unknown parameter. */
  run<Row extends QueryResultRow>(
    world: { run: Statements },
    parameters: Readonly<Record<Name, unknown>>,
  ): Promise<Row[]>
}

/**
 * A statement with named parameters. `names` are numbered in their order, and `sql` gets each one's `$n`
 * under its name: the compiler finds a name that is not declared. Throws, when the module is loaded, if a
 * declared parameter is not used: PostgreSQL would refuse the statement.
 *
 * ```ts
 * const selectBuyer = namedStatement(['account', 'buyer'], (p) => `
 * select * from buyers
 *  where merchant_account_id = ${p.account}
 *    and id = ${p.buyer}`)
 * const [row] = await selectBuyer.run<BuyerRow>(world, { account, buyer: id })
 * ```
 */
export function namedStatement<const Name extends string>(
  names: readonly Name[],
  sql: (parameters: Readonly<Record<Name, string>>) => string,
): NamedStatement<Name> {
  const placeholders = Object.fromEntries(names.map((name, index) => [name, `$${index + 1}`])) as Record<
    Name,
    string
  >
  const text = sql(placeholders)
  const unused = names.filter((name) => !new RegExp(`\\${placeholders[name]}(?!\\d)`).test(text))
  if (unused.length > 0) throw new Error(`parameters that the statement does not use: ${unused.join(', ')}`)
  const valuesOf = (parameters: Readonly<Record<Name, unknown>>) => names.map((name) => parameters[name])
  return { text, names, run: ({ run }, parameters) => run(text, valuesOf(parameters)) }
}
