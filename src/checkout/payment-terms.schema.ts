import type { Static } from 'typebox'
import { Words } from '../api/schema.ts'

export const TransactionIntent = Words('authorize', 'capture')
export type TransactionIntent = Static<typeof TransactionIntent>

export const TransactionPaymentSource = Words('ecommerce', 'moto', 'recurring', 'installment', 'card_on_file')
export type TransactionPaymentSource = Static<typeof TransactionPaymentSource>
