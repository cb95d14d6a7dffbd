import { sql } from 'kysely'
import type { ApprovalTerms } from '../api/approval.ts'
import { isJsonObject } from '../api/values/json-object.ts'
import type { FieldDefinition } from '../connectors/contract/connector.ts'
import { rowTarget } from '../database/approval-target.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'

/** What describes the fields of a kind of service. */
interface FieldDefinitions {
  /** The id of its definition: a member of the request that creates the service, and a column of its row. */
  idMember: string
  /** Undefined: there is no such definition. */
  find: (
    world: World,
    id: string,
  ) => { fields: readonly Pick<FieldDefinition, 'key' | 'secret'>[] } | undefined
}

/** Something that a merchant has configured, with its credentials. */
interface ConfiguredResource {
  /** As the audit log names it. */
  type: string
  table: keyof Tables
  /** The path's parameter with the id. */
  parameter: string
  /** The columns on which a decision depends, beside `updated_at`; no secrets. */
  members: readonly string[]
  /** Absent: it has no fields. */
  definitions?: FieldDefinitions
}

/** A service that is configured by fields. */
export const serviceApproval = (service: Omit<ConfiguredResource, 'members'>): ApprovalTerms =>
  credentialsApproval({ ...service, members: ['display_name', 'active', 'fields'] })

/** The credentials of a resource: to create, change or delete it. */
export const credentialsApproval = ({
  members,
  definitions,
  ...resource
}: ConfiguredResource): ApprovalTerms => ({
  operations: () => ['credentials'],
  target: rowTarget({ ...resource, members: [...members, 'updated_at'] }),
  shownBody: async (body, { world, account, target }) => {
    const id =
      target.resource && definitions
        ? await definitionIdOf(world, resource.table, definitions.idMember, account, target.resource.id)
        : body[definitions?.idMember ?? '']
    const definition = typeof id === 'string' ? definitions?.find(world, id) : undefined
    const isShown = (key: unknown) =>
      definition?.fields.some((field) => field.key === key && !field.secret) ?? false
    return withoutSecrets(body, isShown)
  },
})

async function definitionIdOf(
  { db }: Pick<World, 'db'>,
  table: keyof Tables,
  column: string,
  account: string,
  id: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select ${sql.ref(column)} as id
      from ${sql.table(table)}
     where merchant_account_id = ${account}
       and id = ${id}`.execute(db)
  return rows[0]?.id
}

const MASK = '***'

/** A body whose fields (`[{ key, value }]`) are credentials: of those that are not shown, approvers see that they are set. */
const withoutSecrets = (
  body: Record<string, unknown>,
  isShown: (key: unknown) => boolean,
): Record<string, unknown> => {
  const masked = (field: unknown) => {
    if (!isJsonObject(field)) return MASK
    return isShown(field['key']) ? field : { ...field, value: MASK }
  }
  return {
    ...body,
    ...Object.fromEntries(
      ['fields', 'reporting_fields'].flatMap((name) => {
        const fields = body[name]
        return Array.isArray(fields) ? [[name, fields.map(masked)]] : []
      }),
    ),
  }
}
