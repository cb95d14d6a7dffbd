import { redeemedSql } from '../gift-cards/redemptions/redeemed.sql.ts'

/** The tables whose rows of retired payments are written to files, in the order in which they are written. */
export const archivedTables = ['transactions', 'operations', 'settlements'] as const
export type ArchivedTable = (typeof archivedTables)[number]

export type ColumnType = 'UUID' | 'STRING' | 'INT64' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP'

/** A column of a file. */
export interface ArchivedColumn {
  name: string
  type: ColumnType
  /** Where its value is in the table: a column, and the path inside of one that is JSON. */
  path: readonly [string, ...string[]]
  /** The value as SQL over a row `t`, where it is not the text at the path. */
  select?: string
}

const column = (type: ColumnType, ...path: string[]) => ({ type, path })
type Columns = Record<string, { type: ColumnType; path: readonly string[]; select?: string }>

/**
 * The columns of each file: what reports and bookkeepers need of a payment. Nothing of it is removed by an
 * erasure of a buyer, so that no erasure has to change a file (a test compares both).
 */
const definitions = {
  transactions: {
    merchant_account_id: column('STRING'),
    id: column('UUID'),
    external_identifier: column('STRING'),
    status: column('STRING'),
    intent_outcome: column('STRING'),
    created_at: column('TIMESTAMP'),
    updated_at: column('TIMESTAMP'),
    authorized_at: column('TIMESTAMP'),
    captured_at: column('TIMESTAMP'),
    voided_at: column('TIMESTAMP'),
    currency: column('STRING'),
    amount: column('INT64'),
    authorized_amount: column('INT64'),
    captured_amount: column('INT64'),
    refunded_amount: column('INT64'),
    settled: column('BOOLEAN'),
    settled_currency: column('STRING'),
    settled_amount: column('INT64'),
    country: column('STRING'),
    method: column('STRING'),
    scheme: column('STRING', 'payment_method', 'scheme'),
    payment_service_id: column('UUID'),
    payment_service_definition_id: column('STRING', 'payment_service', 'payment_service_definition_id'),
    payment_service_display_name: column('STRING', 'payment_service', 'display_name'),
    payment_service_transaction_id: column('STRING'),
    error_code: column('STRING'),
    auth_response_code: column('STRING', 'facts', 'auth_response_code'),
    raw_response_code: column('STRING', 'facts', 'raw_response_code'),
    raw_response_description: column('STRING', 'facts', 'raw_response_description'),
    payment_source: column('STRING'),
    merchant_initiated: column('BOOLEAN'),
    is_subsequent_payment: column('BOOLEAN'),
    three_d_secure_status: column('STRING', 'three_d_secure', 'status'),
    three_d_secure_method: column('STRING', 'three_d_secure', 'method'),
    three_d_secure_eci: column('STRING', 'three_d_secure', 'response_data', 'eci'),
    three_d_secure_auth_resp: column('STRING', 'three_d_secure', 'response_data', 'authentication_response'),
    gift_card_redemptions_amount: {
      ...column('INT64', 'gift_cards', 'redemptions', '0', 'amount'),
      select: redeemedSql('amount'),
    },
    gift_card_redemption_refunds_amount: {
      ...column('INT64', 'gift_cards', 'redemptions', '0', 'refunded'),
      select: redeemedSql('refunded'),
    },
  },
  operations: {
    merchant_account_id: column('STRING'),
    id: column('UUID'),
    transaction_id: column('UUID'),
    kind: column('STRING'),
    status: column('STRING'),
    created_at: column('TIMESTAMP'),
    settled_at: column('TIMESTAMP'),
    currency: column('STRING'),
    amount: column('INT64'),
    effective_amount: column('INT64'),
    payment_service_id: column('UUID'),
    payment_service_operation_id: column('STRING'),
    external_identifier: column('STRING', 'input', 'external_identifier'),
    undoes: column('STRING', 'input', 'undoes'),
    failed_kind: column('STRING', 'input', 'failed', 'kind'),
    captured_amount_before: column('STRING', 'input', 'before', 'captured_amount'),
    captured_amount_after: column('STRING', 'input', 'after', 'captured_amount'),
    error_code: column('STRING'),
    raw_response_code: column('STRING', 'facts', 'raw_response_code'),
    raw_response_description: column('STRING', 'facts', 'raw_response_description'),
  },
  settlements: {
    merchant_account_id: column('STRING'),
    id: column('UUID'),
    transaction_id: column('UUID'),
    refund_id: column('UUID'),
    type: column('STRING'),
    posted_at: column('TIMESTAMP'),
    ingested_at: column('TIMESTAMP'),
    payment_service_id: column('UUID'),
    gross_amount: column('INT64'),
    currency: column('STRING'),
    amount: column('INT64'),
    exchange_rate: column('DOUBLE'),
    commission: column('INT64'),
    interchange: column('INT64'),
    markup: column('INT64'),
    scheme_fee: column('INT64'),
    report_id: column('UUID'),
    file_id: column('UUID'),
  },
} as const satisfies Record<ArchivedTable, Columns>

const listed = (columns: Columns): readonly ArchivedColumn[] =>
  Object.entries(columns).map(
    ([
      name,
      {
        type,
        path: [first = name, ...inside],
        select,
      },
    ]) => ({
      name,
      type,
      path: [first, ...inside],
      ...(select !== undefined && { select }),
    }),
  )

export const archivedColumns: Record<ArchivedTable, readonly ArchivedColumn[]> = {
  transactions: listed(definitions.transactions),
  operations: listed(definitions.operations),
  settlements: listed(definitions.settlements),
}

/** What reports read of transactions and an erasure removes: null for every retired payment. */
export const erasedColumns = ['buyer', 'metadata'] as const
