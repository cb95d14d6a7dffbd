import type { Buyer, PaymentMethod, PaymentService, PayoutCreate, Railyard } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { every } from '../../api/every.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { formatAmount, parseAmount } from '../../format/amount.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { AmountField, SelectField, TextField } from '../../parts/forms/field.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { payoutWords as words } from '../../words/payments/payouts.ts'
import { BuyerField } from '../buyers/buyer-field.tsx'
import { methodName } from '../stored-methods/stored-method-status.ts'

type Sender = Record<keyof typeof words.merchant, string>
const noSender: Sender = {
  name: '',
  identification_number: '',
  phone_number: '',
  url: '',
  merchant_category_code: '',
  statement_descriptor: '',
}

/** Asks for a payout to a stored card, and sends it. No card number can be entered. */
export function CreatePayout({ onClose }: { onClose: () => void }): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const services = useLoad(['payment-services', 'for-payouts'], servicesForPayouts)
  const [serviceId, setServiceId] = useState('')
  const [buyer, setBuyer] = useState<Buyer>()
  const [methodId, setMethodId] = useState('')
  const [currency, setCurrency] = useState('')
  const [amount, setAmount] = useState('')
  const [reference, setReference] = useState('')
  const [category, setCategory] = useState('')
  const [sender, setSender] = useState(noSender)
  const [channel, setChannel] = useState('')
  const [source, setSource] = useState('')
  const [isIncomplete, setIncomplete] = useState(false)
  const cards = useLoad(
    ['payment-methods', 'cards-of', buyer?.id],
    async (api, signal) => {
      // a stored card is `processing` until it has paid once
      const filter = { buyer_id: buyer?.id, status: ['processing', 'succeeded'], limit: 100 }
      const methods = await every(api.paymentMethods.list(filter, { signal }))
      return methods.filter(({ mode }) => mode === 'card')
    },
    { enabled: Boolean(buyer) },
  )
  const service = services.data?.find(({ id }) => id === serviceId)
  const chosenCurrency = currency || service?.accepted_currencies[0] || ''
  const parsed = chosenCurrency ? parseAmount(amount, chosenCurrency) : undefined
  const isCheckout = service?.payment_service_definition_id === 'checkout-card'

  const create = useAction({
    run: (api, body: PayoutCreate, idempotencyKey) => api.payouts.create(body, { idempotencyKey }),
    onDone: ({ id, status }) => {
      const isRefused = status === 'declined' || status === 'failed'
      say(isRefused ? words.refused : status === 'pending' ? words.sent : words.done)
      onClose()
      navigate(`/${account}/payouts/${id}`)
    },
    changes: [['payouts']],
  })
  const problems = problemsOf(create.error)
  const send = () => {
    const isComplete = service && buyer && methodId && parsed
    setIncomplete(!isComplete)
    if (!isComplete) return
    create.mutate({
      amount: parsed,
      currency: chosenCurrency,
      payment_service_id: service.id,
      payment_method: { method: 'id', id: methodId },
      buyer_id: buyer.id,
      ...(reference.trim() && { external_identifier: reference.trim() }),
      ...(category && { category: 'online_gambling' }),
      ...(Object.values(sender).some((value) => value.trim()) && { merchant: sender }),
      ...(isCheckout && {
        connection_options: {
          'checkout-card': { processing_channel_id: channel.trim(), source_id: source.trim() },
        },
      }),
    })
  }
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={words.createTitle}
      text={words.createText}
      submit={parsed ? words.send(formatAmount(parsed, chosenCurrency)) : words.create}
      busy={create.isPending}
      error={create.error}
      onSubmit={send}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <BuyerField
          value={buyer}
          onChange={(next) => {
            setBuyer(next)
            setMethodId('')
          }}
          problem={problems['/buyer_id']}
        />
        <SelectField
          label={words.card}
          hint={!buyer ? words.firstBuyer : cards.data?.length === 0 ? words.noCard : undefined}
          problem={problems['/payment_method/id']}
          value={methodId}
          options={[['', words.chooseCard], ...(buyer ? (cards.data ?? []) : []).map(cardOption)]}
          onChange={setMethodId}
        />
        <SelectField
          label={members.service}
          hint={services.data?.length === 0 ? words.noService : undefined}
          problem={problems['/payment_service_id']}
          value={serviceId}
          options={[
            ['', words.chooseService],
            ...(services.data ?? []).map(({ id, display_name }) => [id, display_name] as const),
          ]}
          onChange={(next) => {
            setServiceId(next)
            setCurrency('')
          }}
        />
        <div className="grid grid-cols-[1fr_100px] gap-2">
          <AmountField
            label={members.amount}
            currency={chosenCurrency}
            value={amount}
            onChange={setAmount}
            problem={problems['/amount']}
          />
          <SelectField
            label={members.currency}
            problem={problems['/currency']}
            value={chosenCurrency}
            options={(service?.accepted_currencies ?? []).map((each) => [each, each])}
            onChange={setCurrency}
          />
        </div>
        <TextField
          label={members.reference}
          optional
          maxLength={200}
          value={reference}
          onChange={setReference}
          problem={problems['/external_identifier']}
        />
        <SelectField
          label={words.category}
          optional
          value={category}
          options={[['', words.noCategory], ...Object.entries(words.categories)]}
          onChange={setCategory}
        />
        {isCheckout && (
          <>
            <TextField label={words.processing_channel_id} value={channel} onChange={setChannel} />
            <TextField label={words.source_id} value={source} onChange={setSource} />
          </>
        )}
      </div>
      <details>
        <summary className="cursor-pointer font-medium">{words.whoPays}</summary>
        <p className="mt-1 mb-3 text-sm text-ink-2">{words.whoPaysHint}</p>
        <div className="grid gap-4 sm:grid-cols-2">
          {Object.entries(words.merchant).map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              value={sender[name as keyof Sender]}
              problem={problems[`/merchant/${name}`]}
              onChange={(value) => setSender((before) => ({ ...before, [name]: value }))}
            />
          ))}
        </div>
      </details>
      {isIncomplete && (
        <div role="alert">
          <Notice tone="bad">{words.missing}</Notice>
        </div>
      )}
    </FormDialog>
  )
}

const cardOption = (card: PaymentMethod) =>
  [card.id, [methodName(card), card.expiration_date].filter(Boolean).join(', ')] as const

/** The active payment services whose connectors can pay out. */
async function servicesForPayouts(api: Railyard, signal: AbortSignal): Promise<PaymentService[]> {
  const definitions = await every(api.paymentServiceDefinitions.list({ limit: 100 }, { signal }))
  const capable = new Set(
    definitions.filter(({ supported_features }) => supported_features['payouts']).map(({ id }) => id),
  )
  const services = await every(api.paymentServices.list({ method: 'card', limit: 100 }, { signal }))
  return services.filter(
    ({ active, payment_service_definition_id }) => active && capable.has(payment_service_definition_id),
  )
}
