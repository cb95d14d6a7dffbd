import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { ApprovalTerms } from '../api/approval.ts'
import { notFound } from '../api/errors.ts'
import type { ApprovalTarget } from '../api/values/approval-target.ts'
import { canonicalJson } from '../api/values/canonical-json.ts'
import { isJsonObject } from '../api/values/json-object.ts'
import { canonicalId } from '../api/values/uuid.ts'
import type { Tables } from './tables.ts'

interface ConfiguredRow {
  /** Of the resource, as the audit log names it. */
  type: string
  table: keyof Tables
  /** The path's parameter with the id; a path without it creates a resource. */
  parameter: string
  /** The columns on which a decision depends; no secrets. */
  members: readonly string[]
  /** True: the rows belong to the instance, and have no merchant account. */
  isOfInstance?: true
}

/** What a request about a row of the configuration is about. */
export const rowTarget =
  ({ type, table, parameter, members, isOfInstance }: ConfiguredRow): ApprovalTerms['target'] =>
  async ({ db }, request): Promise<ApprovalTarget> => {
    const given = parameterOf(request, parameter)
    if (given === undefined) return { resource: null, money: null, preconditions: {} }
    const id = canonicalId(given)
    const account = request.account || parameterOf(request, 'merchant_account_id')
    const { rows } = await sql<Record<string, unknown>>`
      select ${sql.join(members.map((member) => sql.ref(member)))}
        from ${sql.table(table)}
       where id = ${id}
         ${isOfInstance ? sql`` : sql`and merchant_account_id = ${account}`}`.execute(db)
    const [row] = rows
    if (!row) throw notFound()
    return {
      resource: { type, id },
      money: null,
      preconditions: Object.fromEntries(members.map((member) => [member, comparable(row[member])])),
    }
  }

export function parameterOf({ params }: Pick<FastifyRequest, 'params'>, name: string): string | undefined {
  const value = isJsonObject(params) ? params[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** A value that can be stored and shown; of objects, a hash. */
function comparable(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ')
  if (typeof value === 'object') return createHash('sha256').update(canonicalJson(value)).digest('hex')
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
}
