import { defineFunction, FIRST_LINE } from './function-versions.ts'
import type { Statements } from './statements.ts'

/** Types of parameters, as PostgreSQL names them. */
type SqlType =
  | 'bigint'
  | 'boolean'
  | 'bytea'
  | 'int'
  | 'json'
  | 'jsonb'
  | 'text'
  | 'text[]'
  | 'timestamptz'
  | 'uuid'

/** A function in PL/pgSQL that the database keeps, and that one statement calls. */
interface SqlFunction<Name extends string> {
  /** The statement, as callers give it to `Statements`. */
  readonly text: string
  /** In the order of `$1`, `$2` … */
  readonly names: readonly Name[]
  /** Calls it. The compiler refuses a missing and an unknown parameter. Answers what the function returns. */
  call<Result>(
    world: { run: Statements },
    parameters: Readonly<Record<NoInfer<Name>, unknown>>,
  ): Promise<Result>
}

/** One value for each parameter of a function, by its name. */
export type ArgumentsOf<F> = F extends SqlFunction<infer Name> ? Readonly<Record<Name, unknown>> : never

interface Options<Name extends string> {
  name: string
  /**
   * In the order of `$1`, `$2` … The first one is the merchant account: where its rows are spread over several
   * servers, it says which one runs the function.
   */
  parameters: Readonly<Record<Name, SqlType>>
  returns: 'json' | 'text'
  /** The block, from `declare` to `end`; `p` has each parameter's `$n` under its name. */
  body: (p: Readonly<Record<Name, string>>) => string
}

/**
 * A function in PL/pgSQL for work of several steps that is one commit and one round trip. Compared with one
 * statement of many CTEs, a step that has nothing to do costs nothing, and each step sees what the steps before it
 * have written. A step also sees what others have committed meanwhile: a row that must not change between two
 * steps has to be locked.
 *
 * The database has each version of a function beside the others, since a hash of the definition is in its name:
 * processes of two versions run side by side. `createFunctions` creates them.
 *
 * ```ts
 * const countUse = sqlFunction({
 *   name: 'count_use',
 *   parameters: { account: 'text', method: 'uuid' },
 *   returns: 'text',
 *   body: (p) => `
 * begin
 *   update payment_methods set usage_count = usage_count + 1 where merchant_account_id = ${p.account} and id = ${p.method};
 *   return case when found then 'counted' else 'gone' end;
 * end`,
 * })
 * const result = await countUse.call<'counted' | 'gone'>(world, { account, method: id })
 * ```
 */
export function sqlFunction<const Name extends string>({
  name,
  parameters,
  returns,
  body,
}: Options<Name>): SqlFunction<Name> {
  const names = Object.keys(parameters) as Name[]
  const placeholders = Object.fromEntries(names.map((key, index) => [key, `$${index + 1}`])) as Record<
    Name,
    string
  >
  const types = names.map((key) => parameters[key]).join(', ')
  const block = `${FIRST_LINE}\n${body(placeholders).trim()}`
  const text = defineFunction({
    name,
    definition: `(${types}) returns ${returns} language plpgsql as $function$\n${block}\n$function$`,
    arity: names.length,
  })
  return {
    text,
    names,
    async call<Result>(
      { run }: { run: Statements },
      given: Readonly<Record<NoInfer<Name>, unknown>>,
    ): Promise<Result> {
      const [row] = await run<{ result: Result }>(
        text,
        names.map((key) => given[key]),
      )
      if (!row) throw new Error(`${name} has returned no row`)
      return row.result
    },
  }
}
