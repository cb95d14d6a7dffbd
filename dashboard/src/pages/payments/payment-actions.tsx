import type { Transaction } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { formatAmount, parseAmount, typedAmount } from '../../format/amount.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { AmountField, CheckField, TextField } from '../../parts/forms/field.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { useMay } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { paymentWords } from '../../words/payments/payments.ts'
import { EditPayment } from './edit-payment.tsx'

const words = paymentWords.actions

type Action = 'capture' | 'void' | 'cancel' | 'increment' | 'refund'

/** Why an action is not possible now; undefined: it is. The server decides again. */
export function refusalOf(action: Action, payment: Transaction): string | undefined {
  const { status, pending_review, captured_amount, authorized_amount } = payment
  if (status === 'processing' && action !== 'cancel') return words.stillUnknown
  switch (action) {
    case 'capture':
      if (pending_review) return words.inReview
      if (status !== 'authorization_succeeded' && status !== 'capture_succeeded') return words.notAuthorized
      return captured_amount < authorized_amount ? undefined : words.nothingToCapture
    case 'void':
      if (captured_amount > 0) return words.captureStarted
      return status === 'authorization_succeeded' ? undefined : words.notAuthorized
    case 'increment':
      return status === 'authorization_succeeded' ? undefined : words.notAuthorized
    case 'refund':
      return refundable(payment) > 0 ? undefined : words.nothingToRefund
    case 'cancel':
      return status === 'buyer_approval_pending' || status === 'processing' ? undefined : words.notPending
  }
}

const refundable = ({ captured_amount, refunded_amount, disputed_amount }: Transaction): number =>
  Math.max(0, captured_amount - refunded_amount - disputed_amount)

/** What a person may do with a payment. */
export function PaymentActions({ payment }: { payment: Transaction }): ReactNode {
  const may = useMay('transactions.write')
  const say = useSay()
  const dialog = useDialog<Action>()
  const editing = useDialog()
  const refundingAll = useDialog()
  const completing = useDialog()
  const lookUp = useAction({
    run: (api) => api.transactions.sync(payment.id),
    onDone: () => say(words.lookedUp),
    changes: [['transactions']],
  })
  if (!may) return null
  const button = (action: Action, look: 'plain' | 'primary' = 'plain') => (
    <Button look={look} refused={refusalOf(action, payment)} onClick={() => dialog.open(action)}>
      {words[action]}
    </Button>
  )
  return (
    <>
      <Button busy={lookUp.isPending} onClick={() => lookUp.mutate()}>
        {words.lookUp}
      </Button>
      {lookUp.error && <ErrorNotice error={lookUp.error} />}
      {button('capture', refusalOf('capture', payment) ? 'plain' : 'primary')}
      {button('refund')}
      <Menu
        label={commonWords.more}
        items={[
          { text: words.edit, onSelect: () => editing.open(true) },
          ...(payment.gift_card_redemptions.length > 0
            ? [
                {
                  text: words.refundAll,
                  refused: refusalOf('refund', payment),
                  onSelect: () => refundingAll.open(true),
                },
              ]
            : []),
          ...(payment.status === 'buyer_approval_pending'
            ? [{ text: words.complete, onSelect: () => completing.open(true) }]
            : []),
          ...(['void', 'increment', 'cancel'] as const).map((action) => ({
            text: words[action],
            refused: refusalOf(action, payment),
            onSelect: () => dialog.open(action),
            danger: action !== 'increment',
          })),
        ]}
      />
      {editing.about && <EditPayment payment={payment} onClose={editing.close} />}
      {refundingAll.about && (
        <ConfirmDialog
          title={words.refundAll}
          text={words.refundAllText}
          done={words.refundAllDone}
          run={(api, idempotencyKey) =>
            api.transactions.refunds.createAll(payment.id, {}, { idempotencyKey })
          }
          changes={[['transactions']]}
          onClose={refundingAll.close}
        />
      )}
      {completing.about && (
        <ConfirmDialog
          title={words.complete}
          text={words.completeText}
          done={words.completeDone}
          run={(api, idempotencyKey) => api.transactions.complete(payment.id, {}, { idempotencyKey })}
          changes={[['transactions']]}
          onClose={completing.close}
        />
      )}
      {dialog.about && <ActionDialog action={dialog.about} payment={payment} onClose={dialog.close} />}
    </>
  )
}

function ActionDialog({
  action,
  payment,
  onClose,
}: {
  action: Action
  payment: Transaction
  onClose: () => void
}): ReactNode {
  const { id, currency } = payment
  const say = useSay()
  const most = action === 'refund' ? refundable(payment) : payment.authorized_amount - payment.captured_amount
  const hasAmount = action === 'capture' || action === 'refund' || action === 'increment'
  const [amount, setAmount] = useState(action === 'increment' ? '' : typedAmount(most, currency))
  const [isFinal, setFinal] = useState(true)
  const [reason, setReason] = useState('')
  const [wasSent, setSent] = useState(false)
  const parsed = parseAmount(amount, currency)

  const act = useAction({
    run: async (api, input: { amount: number; final: boolean; reason: string }, idempotencyKey) => {
      const options = { idempotencyKey }
      switch (action) {
        case 'capture': {
          const capture = await api.transactions.capture(
            id,
            { amount: input.amount, final: input.final },
            { ...options, prefer: 'resource=transaction-capture' as const },
          )
          return capture.status
        }
        case 'void':
          return (
            await api.transactions.void(id, { ...options, prefer: 'resource=transaction-void' as const })
          ).status
        case 'cancel':
          return (await api.transactions.cancel(id, options)).status
        case 'increment':
          return (await api.transactions.authorization.increment(id, { amount: input.amount }, options))
            .status
        case 'refund':
          return (
            await api.transactions.refunds.create(
              id,
              { amount: input.amount, ...(input.reason && { reason: input.reason }) },
              options,
            )
          ).status
      }
    },
    onDone: (status) => {
      const isRefused = status === 'failed' || status === 'declined'
      const isOpen = status === 'pending' || status === 'processing'
      say(isRefused ? words.failedNow : isOpen ? words.openNow : words[`${action}Done`])
      onClose()
    },
    changes: [['transactions']],
  })
  const problems = problemsOf(act.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words[action]}
      text={words[`${action}Text`]}
      submit={words[action]}
      danger={action === 'void' || action === 'cancel'}
      busy={act.isPending}
      error={act.error}
      onSubmit={() => {
        setSent(true)
        if (!hasAmount || parsed) act.mutate({ amount: parsed ?? 0, final: isFinal, reason })
      }}
    >
      {hasAmount && (
        <AmountField
          label={words.amount}
          currency={currency}
          value={amount}
          onChange={setAmount}
          problem={
            problems['/amount'] ??
            (wasSent && !parsed ? commonWords.amountExample(typedAmount(1250, currency)) : undefined)
          }
          hint={action === 'increment' ? undefined : words.atMost(formatAmount(most, currency))}
        />
      )}
      {action === 'capture' && <CheckField label={words.final} checked={isFinal} onChange={setFinal} />}
      {action === 'refund' && (
        <TextField label={words.reason} optional value={reason} onChange={setReason} maxLength={1000} />
      )}
    </FormDialog>
  )
}
