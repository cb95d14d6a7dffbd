import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { DATATYPE_MISMATCH, INSUFFICIENT_PRIVILEGE, UNDEFINED_FUNCTION } from './error-codes.ts'
import { byParentTables, type PaymentPartitions } from './partitions/payment-partitions.ts'
import { isStatementError } from './postgres/run-statement.ts'
import { LOCK_TIMEOUT_MS } from './timeouts.ts'

// the functions of `sqlFunction` in a database: one for each version, and for each partition that its text names

/** A function before it is known which partitions it names. */
interface Template {
  name: string
  /** What `create function` takes after the name; tables of payments are marked with `ofPayment`. */
  definition: string
  /** How many parameters it has. */
  arity: number
}

/** The first line of every function: a column is meant wherever a variable has its name. */
export const FIRST_LINE = '#variable_conflict use_column'

/** By the text of the statement that calls it. */
const templates = new Map<string, Template>()

const callText = (name: string, arity: number): string =>
  `select ${name}(${Array.from({ length: arity }, (_, index) => `$${index + 1}`).join(', ')}) as result`

/** Throws if another function has the name. Answers the statement that calls the function, as callers know it. */
export function defineFunction(template: Template): string {
  const text = callText(template.name, template.arity)
  if ([...templates.values()].some(({ name }) => name === template.name))
    throw new Error(`two functions are called ${template.name}`)
  templates.set(text, template)
  return text
}

/** The function that this statement calls; undefined: none. */
export const functionOf = (text: string): Template | undefined => templates.get(text)

/** The name of the function with this definition, whose tables are named. */
const versionOf = ({ name }: Template, definition: string): string =>
  `${name}_${createHash('sha256').update(definition).digest('hex').slice(0, 12)}`

const calls = new Map<string, string>()

/** The statement that calls the function with this definition. */
export function callOf(template: Template, definition: string): string {
  const known = calls.get(definition)
  if (known) return known
  const call = callText(versionOf(template, definition), template.arity)
  calls.set(definition, call)
  return call
}

/** The function with this definition was not created yet; an operator that is missing in it has the same code. */
export const isFunctionMissing = (error: unknown, template: Template, definition: string): boolean =>
  isStatementError(error) &&
  error.code === UNDEFINED_FUNCTION &&
  error.message.includes(versionOf(template, definition))

/** A table whose row is a variable of it was replaced while it ran (`cut-table.ts`). */
export const isFunctionOutdated = (error: unknown): boolean =>
  isStatementError(error) && error.code === DATATYPE_MISMATCH

/**
 * Creates one function. False: this role may not.
 *
 * On Citus its statements are planned each time: 13.2 plans a statement that is executed on a worker's own shards for
 * each execution in any case, and keeps every such plan for as long as the connection lives (citusdata/citus#8824),
 * which tripled what a payment cost after some seconds and had no bound in memory. The session at the worker does not
 * have the coordinator's limit for locks, so the function has it.
 */
export async function createFunction(
  pool: Pick<Pool, 'query'>,
  template: Template,
  definition: string,
): Promise<boolean> {
  try {
    const name = versionOf(template, definition)
    const types = /^\([^)]*\)/.exec(definition)?.[0]
    // the lock: two processes that replace one function at the same time would refuse each other
    await pool.query(
      `set local statement_timeout = 0;
select pg_advisory_xact_lock(hashtextextended('railyard functions', 0));
create or replace function ${name}${definition};
do $distribute$
begin
  if exists (select from pg_extension where extname = 'citus') then
    alter function ${name}${types} set plan_cache_mode = force_custom_plan;
    alter function ${name}${types} set lock_timeout = ${LOCK_TIMEOUT_MS};
    perform create_distributed_function('${name}${types}', '$1', colocate_with => 'transactions');
  end if;
end
$distribute$`,
    )
    return true
  } catch (error) {
    if (isStatementError(error) && error.code === INSUFFICIENT_PRIVILEGE) return false
    throw error
  }
}

/**
 * Creates the functions of this version that the database does not have, for all partitions. False: this role
 * may not, and some are missing without which nothing works.
 */
export async function createFunctions(
  pool: Pick<Pool, 'query'>,
  partitions: Pick<PaymentPartitions, 'everyText'>,
): Promise<boolean> {
  const wanted = [...templates.values()].flatMap((template) =>
    partitions.everyText(template.definition).map((definition) => ({ template, definition })),
  )
  const { rows } = await pool.query<{ name: string }>(
    'select proname as name from pg_proc where pronamespace = current_schema()::regnamespace and proname = any($1)',
    [wanted.map(({ template, definition }) => versionOf(template, definition))],
  )
  const existing = new Set(rows.map(({ name }) => name))
  for (const { template, definition } of wanted) {
    if (existing.has(versionOf(template, definition))) continue
    const isNeeded = definition === byParentTables(template.definition)
    if (!(await createFunction(pool, template, definition)) && isNeeded) return false
  }
  return true
}
