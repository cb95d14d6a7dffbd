import type { SettlementReport } from '../connectors/contract/settlement-report.ts'
import type { Connectors } from '../connectors/registry.ts'
import type { World } from '../world.ts'
import type { ReportSource } from './ingest.ts'

/** The report format of each connector, by the id of its definition. */
export type ReportFormats = ReadonlyMap<string, SettlementReport>

export const reportFormats = (connectors: Connectors): ReportFormats =>
  new Map(
    [...connectors].flatMap(([id, { settlementReport }]) =>
      settlementReport ? [[id, settlementReport] as const] : [],
    ),
  )

/**
 * The payment services of an account whose reports can be read; also deleted ones, since their payments are
 * still settled.
 */
export async function reportSources(
  { db }: Pick<World, 'db'>,
  formats: ReportFormats,
  account: string,
): Promise<ReportSource[]> {
  const rows = await db
    .selectFrom('payment_services')
    .select(['id', 'payment_service_definition_id as definition', 'display_name as displayName'])
    .where('merchant_account_id', '=', account)
    .orderBy('created_at')
    .execute()
  return rows.flatMap(({ id, definition, displayName }) => {
    const report = formats.get(definition)
    return report ? [{ account, service: id, definition, displayName, report }] : []
  })
}
