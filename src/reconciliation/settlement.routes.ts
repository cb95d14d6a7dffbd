import { Type } from 'typebox'
import { orNotFound } from '../api/errors.ts'
import { merchantAccountHeader } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { Closed, Uuid } from '../api/schema.ts'
import { transactionParams } from '../transactions/transaction.schema.ts'
import { readTransaction } from '../transactions/transaction.store.ts'
import {
  showChargeback,
  showRefundSettlement,
  showReversal,
  showSettlement,
} from './settlement.representation.ts'
import {
  ChargebackReversals,
  Chargebacks,
  RefundSettlement,
  Settlement,
  Settlements,
} from './settlement.schema.ts'
import { type SettlementRow, settlementOf, settlementsOf } from './settlement.store.ts'

const RefundSettlements = Closed('RefundSettlements', { items: Type.Array(RefundSettlement) })

/**
 * The lines of payment services' reports about a transaction (semantics §4.2). Before a report is read the
 * lists are empty.
 */
export const settlementRoutes: Routes = (app, world) => {
  const shared = { headers: merchantAccountHeader, params: transactionParams }
  const one = {
    headers: merchantAccountHeader,
    params: Type.Object({ transaction_id: Uuid, settlement_id: Uuid }),
  }
  const config = { scopes: ['transactions.read'] }
  /** The rows of one type. Throws 404 if there is no such transaction. */
  const listRows = async (account: string, transaction: string, type: SettlementRow['type']) => {
    await readTransaction(world, account, transaction)
    return settlementsOf(world, account, transaction, type)
  }
  const findRow = async (
    account: string,
    params: { transaction_id: string; settlement_id: string },
    type: SettlementRow['type'],
  ) => {
    return orNotFound(await settlementOf(world, account, params.transaction_id, type, params.settlement_id))
  }
  const tags = ['Transactions - Settlements']
  const refundTags = ['Transactions - Refund settlements']

  app.get(
    '/transactions/:transaction_id/settlements',
    {
      config,
      schema: {
        ...shared,
        operationId: 'list_transaction_settlements',
        summary: 'List settlements',
        description: 'The settlements of a transaction in the reports of payment services.',
        tags,
        response: { 200: Settlements },
      },
    },
    async ({ account, params }) => ({
      items: (await listRows(account, params.transaction_id, 'settlement')).map(showSettlement),
    }),
  )
  app.get(
    '/transactions/:transaction_id/settlements/:settlement_id',
    {
      config,
      schema: {
        ...one,
        operationId: 'get_transaction_settlement',
        summary: 'Get a settlement',
        description: 'One settlement of a transaction.',
        tags,
        response: { 200: Settlement },
      },
    },
    async ({ account, params }) => showSettlement(await findRow(account, params, 'settlement')),
  )
  app.get(
    '/transactions/:transaction_id/refund-settlements',
    {
      config,
      schema: {
        ...shared,
        operationId: 'list_transaction_refund_settlements',
        summary: 'List refund settlements',
        description: 'The settlements of a transaction’s refunds in the reports of payment services.',
        tags: refundTags,
        response: { 200: RefundSettlements },
      },
    },
    async ({ account, params }) => ({
      items: (await listRows(account, params.transaction_id, 'refund-settlement')).map(showRefundSettlement),
    }),
  )
  app.get(
    '/transactions/:transaction_id/refund-settlements/:settlement_id',
    {
      config,
      schema: {
        ...one,
        operationId: 'get_transaction_refund_settlement',
        summary: 'Get a refund settlement',
        description: 'One settlement of a refund.',
        tags: refundTags,
        response: { 200: RefundSettlement },
      },
    },
    async ({ account, params }) => showRefundSettlement(await findRow(account, params, 'refund-settlement')),
  )
  app.get(
    '/transactions/:transaction_id/chargebacks',
    {
      config,
      schema: {
        ...shared,
        operationId: 'list_transaction_chargebacks',
        summary: 'List chargebacks',
        description: 'The chargebacks of a transaction: amounts that the buyer’s bank took back.',
        tags: ['Transactions - Chargebacks'],
        response: { 200: Chargebacks },
      },
    },
    async ({ account, params }) => ({
      items: (await listRows(account, params.transaction_id, 'chargeback')).map(showChargeback),
    }),
  )
  app.get(
    '/transactions/:transaction_id/chargeback-reversals',
    {
      config,
      schema: {
        ...shared,
        operationId: 'list_transaction_chargeback_reversals',
        summary: 'List chargeback reversals',
        description: 'The chargeback reversals of a transaction: amounts that the buyer’s bank gave back.',
        tags: ['Transactions - Chargeback reversals'],
        response: { 200: ChargebackReversals },
      },
    },
    async ({ account, params }) => ({
      items: (await listRows(account, params.transaction_id, 'chargeback-reversal')).map(showReversal),
    }),
  )
}
