import type { Railyard, Transaction } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { parseAmount } from '../../format/amount.ts'
import { readable } from '../../format/names.ts'
import { AmountField, Field, SelectField, TextField } from '../../parts/forms/field.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { sandboxWords } from '../../words/developers/sandbox.ts'

const words = sandboxWords.events
type Body = Parameters<Railyard['sandbox']['transactions']['simulate']>[1]
type EventName = Body['event']

const groups = {
  pending: ['completed', 'declined', 'failed'],
  decision: ['approved', 'rejected', 'expired'],
  settlement: ['settled', 'refund_settled'],
  dispute: ['disputed', 'dispute_reversed', 'dispute_notified'],
  stored: [
    'card_updated',
    'card_closed',
    'token_suspended',
    'token_resumed',
    'token_deleted',
    'method_paused',
    'method_resumed',
    'method_authorization_updated',
    'method_authorization_update_required',
    'method_authorization_expiring',
  ],
} as const satisfies Record<keyof typeof words.groups, readonly EventName[]>

/** What each event may name beside itself. */
const members = {
  amount: ['settled', 'refund_settled', 'disputed', 'dispute_reversed', 'dispute_notified'],
  refund_id: ['refund_settled'],
  status: ['dispute_notified'],
  operation_id: ['completed', 'declined', 'failed'],
  error_code: ['declined', 'failed'],
  by: ['approved', 'rejected', 'expired'],
  expiration_date: ['card_updated'],
} as const satisfies Record<string, readonly EventName[]>
type Member = keyof typeof members

const takes = (event: EventName, member: Member): boolean =>
  (members[member] as readonly EventName[]).includes(event)

const disputeStatuses = ['needs_response', 'inquiry', 'under_review', 'won', 'lost', 'accepted', 'closed']

/** Has something happen to a payment. The server names the events that fit, if one does not. */
export function EventForm({ payment }: { payment: Transaction }): ReactNode {
  const { id, currency } = payment
  const say = useSay()
  const [event, setEvent] = useState<EventName>(firstGuess(payment))
  const [values, setValues] = useState<Partial<Record<Member, string>>>({})
  const simulate = useAction({
    run: (api, body: Record<string, unknown>) =>
      api.sandbox.transactions.simulate(id, body as unknown as Body),
    onDone: () => {
      say(words.done)
      setValues({})
    },
    changes: [['transactions']],
  })
  const problems = problemsOf(simulate.error)
  const of = (member: Member) => ({
    value: values[member] ?? '',
    onChange: (value: string) => setValues((before) => ({ ...before, [member]: value })),
    problem: problems[`/${member}`],
    optional: true,
  })
  const send = () => {
    const given = Object.entries(values).filter(([member, value]) => value && takes(event, member as Member))
    simulate.mutate({
      event,
      ...Object.fromEntries(
        given.map(([member, value]) => [
          member,
          member === 'amount' ? (parseAmount(value, currency) ?? value) : value.trim(),
        ]),
      ),
    })
  }
  return (
    <Card title={words.title}>
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(submitted) => {
          submitted.preventDefault()
          if (!simulate.isPending) send()
        }}
      >
        <p className="text-sm text-ink-2">{words.text}</p>
        <Field label={words.event} hint={words.list[event][1]}>
          {(given) => (
            <select
              {...given}
              value={event}
              className="h-8 w-full rounded-md border border-line-strong bg-surface px-3 pointer-coarse:min-h-11"
              onChange={({ target }) => setEvent(target.value as EventName)}
            >
              {Object.entries(groups).map(([group, names]) => (
                <optgroup key={group} label={words.groups[group as keyof typeof groups]}>
                  {names.map((name) => (
                    <option key={name} value={name}>
                      {words.list[name][0]}
                    </option>
                  ))}
                </optgroup>
              ))}
            </select>
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          {takes(event, 'amount') && (
            <AmountField label={words.amount} hint={words.all} currency={currency} {...of('amount')} />
          )}
          {takes(event, 'status') && (
            <SelectField
              label={words.disputeStatus}
              {...of('status')}
              options={disputeStatuses.map((each, index) => [index === 0 ? '' : each, readable(each)])}
            />
          )}
          {takes(event, 'by') && (
            <SelectField
              label={words.by}
              {...of('by')}
              options={[
                ['', words.whoever],
                ['buyer', words.buyer],
                ['reviewer', words.reviewer],
              ]}
            />
          )}
          {takes(event, 'operation_id') && (
            <TextField label={words.operation} hint={words.operationHint} {...of('operation_id')} />
          )}
          {takes(event, 'error_code') && (
            <TextField label={words.errorCode} hint={words.errorCodeHint} {...of('error_code')} />
          )}
          {takes(event, 'refund_id') && (
            <TextField label={words.refund} hint={words.refundHint} {...of('refund_id')} />
          )}
          {takes(event, 'expiration_date') && (
            <TextField label={words.expiry} hint={words.expiryHint} {...of('expiration_date')} />
          )}
        </div>
        {simulate.error && <ErrorNotice error={simulate.error} />}
        <div>
          <Button type="submit" look="primary" busy={simulate.isPending}>
            {words.submit}
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** The event that a person most likely wants next. */
function firstGuess({ status, captured_amount }: Transaction): EventName {
  if (status === 'buyer_approval_pending') return 'approved'
  if (status === 'processing' || status.endsWith('_pending')) return 'completed'
  return captured_amount > 0 ? 'settled' : 'expired'
}
