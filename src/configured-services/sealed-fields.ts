import type { Cipher, Purpose } from '../base/cipher.ts'
import type { FieldDefinition } from '../connectors/contract/connector.ts'
import type { FieldValues } from './fields.ts'

/** The columns in which a configured service stores its fields. */
export interface SealedFieldColumns {
  merchant_account_id: string
  id: string
  fields: readonly { key: string; value: string }[]
  secrets: Buffer | null
}

const contextOf = ({ merchant_account_id, id }: Pick<SealedFieldColumns, 'merchant_account_id' | 'id'>) =>
  `${merchant_account_id}/${id}`

/** Every field by its key, secret ones decrypted. */
export function openFields(
  { cipher }: { cipher: Cipher },
  purpose: Purpose,
  row: SealedFieldColumns,
): FieldValues {
  const plain = Object.fromEntries(row.fields.map(({ key, value }) => [key, value]))
  return { ...plain, ...(row.secrets && JSON.parse(cipher.open(purpose, row.secrets, contextOf(row)))) }
}

/**
 * The columns for these fields. Secret ones are sealed for this row: moved to another row they cannot be
 * opened.
 */
export function sealFields(
  { cipher }: { cipher: Cipher },
  purpose: Purpose,
  row: Pick<SealedFieldColumns, 'merchant_account_id' | 'id'>,
  definitions: readonly FieldDefinition[],
  values: FieldValues,
): { fields: string; secrets: Buffer | null } {
  const isSecret = (key: string) => definitions.some((field) => field.key === key && field.secret)
  const fields = Object.entries(values)
  const secrets = fields.filter(([key]) => isSecret(key))
  return {
    fields: JSON.stringify(fields.filter(([key]) => !isSecret(key)).map(([key, value]) => ({ key, value }))),
    secrets:
      secrets.length > 0
        ? cipher.seal(purpose, JSON.stringify(Object.fromEntries(secrets)), contextOf(row))
        : null,
  }
}
