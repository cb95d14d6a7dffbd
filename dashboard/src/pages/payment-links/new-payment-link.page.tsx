import type { Buyer, PaymentLinkCreate } from '@railyard/client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { formatAmount, parseAmount, typedAmount } from '../../format/amount.ts'
import { AmountField, CheckField, SelectField, TextArea, TextField } from '../../parts/forms/field.tsx'
import { TimeField } from '../../parts/forms/time-field.tsx'
import { ErrorNotice, Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button, ButtonLink } from '../../parts/page/button.tsx'
import { Card, Columns, Page as Layout } from '../../parts/page/layout.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { paymentLinkWords as words } from '../../words/payments/payment-links.ts'
import { BuyerField } from '../buyers/buyer-field.tsx'
import { type ItemRow, ItemRows, isEmptyRow, readItem } from './item-rows.tsx'
import { LinkPreview } from './link-preview.tsx'

const form = words.form
const locales = ['en', 'en-GB', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pt', 'pt-BR']

const nothing = {
  amount: '',
  currency: 'EUR',
  country: '',
  intent: '',
  external_identifier: '',
  expires_at: '',
  merchant_name: '',
  merchant_message: '',
  merchant_color: '',
  locale: '',
  merchant_terms_and_conditions_url: '',
  merchant_url: '',
  merchant_banner_url: '',
  merchant_favicon_url: '',
  return_url: '',
}
type Values = typeof nothing

/** The members that are sent as they were typed. */
const plain = [
  'external_identifier',
  'merchant_name',
  'merchant_message',
  'merchant_color',
  'locale',
  'merchant_terms_and_conditions_url',
  'merchant_url',
  'merchant_banner_url',
  'merchant_favicon_url',
  'return_url',
] as const satisfies readonly (keyof Values & keyof PaymentLinkCreate)[]

export function Page(): ReactNode {
  const { account, may } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const [values, setValues] = useState(nothing)
  const [rows, setRows] = useState<ItemRow[]>([])
  const [buyer, setBuyer] = useState<Buyer>()
  const [isStored, setStored] = useState(false)
  const [problem, setProblem] = useState<string>()
  const set = (name: keyof Values) => (value: string) => setValues((before) => ({ ...before, [name]: value }))

  const currency = values.currency.trim().toUpperCase()
  const amount = parseAmount(values.amount, currency)
  const filled = rows.filter((row) => !isEmptyRow(row))
  const items = filled.flatMap((row) => readItem(row, currency) ?? [])
  const sum = items.reduce((total, { quantity, unitAmount }) => total + quantity * unitAmount, 0)

  const create = useAction({
    run: (api, body: PaymentLinkCreate, idempotencyKey) => api.paymentLinks.create(body, { idempotencyKey }),
    onDone: ({ id }) => {
      say(words.created)
      navigate(`/${account}/payment-links/${id}`)
    },
    changes: [['payment-links']],
  })
  const problems = problemsOf(create.error)
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (create.isPending) return
    const isIncomplete = amount === undefined || !currency || !values.country.trim()
    const wrong = isIncomplete ? form.missing : items.length < filled.length ? form.badItem : undefined
    setProblem(wrong)
    if (wrong || amount === undefined) return
    create.mutate({
      amount,
      currency,
      country: values.country.trim().toUpperCase(),
      ...(values.intent && { intent: values.intent === 'capture' ? 'capture' : 'authorize' }),
      ...(values.expires_at && { expires_at: values.expires_at }),
      ...Object.fromEntries(
        plain.flatMap((name) => (values[name].trim() ? [[name, values[name].trim()]] : [])),
      ),
      ...(items.length > 0 && {
        cart_items: items.map(({ name, quantity, unitAmount }) => ({
          name,
          quantity,
          unit_amount: unitAmount,
        })),
      }),
      ...(buyer && { buyer_id: buyer.id, ...(isStored && { store: true }) }),
    })
  }
  const text = (name: keyof Values, label: string, hint?: string, more: object = {}) => (
    <TextField
      label={label}
      hint={hint}
      value={values[name]}
      onChange={set(name)}
      problem={problems[`/${name}`]}
      {...more}
    />
  )
  const optional = { optional: true }
  const url = { optional: true, inputMode: 'url', placeholder: 'https://' }

  return (
    <Layout title={words.create} above={[{ text: words.title, to: `/${account}/payment-links` }]}>
      <Columns
        main={
          <form onSubmit={send} noValidate>
            <Card title={form.payment}>
              <div className="grid gap-4 sm:grid-cols-2">
                <AmountField
                  label={form.amount}
                  currency={currency}
                  value={values.amount}
                  onChange={set('amount')}
                  problem={problems['/amount']}
                />
                <div className="grid grid-cols-2 gap-2">
                  {text('currency', form.currency, form.currencyHint, { maxLength: 3 })}
                  {text('country', form.country, form.countryHint, { maxLength: 2 })}
                </div>
                <SelectField
                  label={form.intent}
                  value={values.intent}
                  options={Object.entries(words.intents)}
                  onChange={set('intent')}
                  problem={problems['/intent']}
                />
                {text('external_identifier', form.reference, form.referenceHint, {
                  ...optional,
                  maxLength: 200,
                })}
                <TimeField
                  label={form.expires}
                  hint={form.expiresHint}
                  optional
                  value={values.expires_at}
                  onChange={set('expires_at')}
                  problem={problems['/expires_at']}
                />
              </div>
            </Card>
            <Card title={form.order}>
              <ItemRows rows={rows} currency={currency} onChange={setRows} />
              {items.length > 0 && sum !== amount && (
                <div className="mt-3 grid justify-items-start gap-2">
                  <Notice tone="warn">{form.otherSum(formatAmount(sum, currency))}</Notice>
                  <Button onClick={() => set('amount')(typedAmount(sum, currency))}>{form.useSum}</Button>
                </div>
              )}
            </Card>
            {may('buyers.read') && (
              <Card title={form.buyer}>
                <div className="grid gap-3">
                  <BuyerField
                    optional
                    hint={form.buyerHint}
                    value={buyer}
                    onChange={setBuyer}
                    problem={problems['/buyer_id']}
                  />
                  {buyer && <CheckField label={form.store} checked={isStored} onChange={setStored} />}
                </div>
              </Card>
            )}
            <Card title={form.page}>
              <div className="grid gap-4 sm:grid-cols-2">
                {text('merchant_name', form.merchantName, form.merchantNameHint, {
                  ...optional,
                  maxLength: 100,
                })}
                {text('merchant_color', form.color, form.colorHint, optional)}
                <div className="sm:col-span-2">
                  <TextArea
                    label={form.message}
                    optional
                    rows={2}
                    maxLength={255}
                    value={values.merchant_message}
                    onChange={set('merchant_message')}
                    problem={problems['/merchant_message']}
                  />
                </div>
                <SelectField
                  label={form.locale}
                  value={values.locale}
                  options={[['', form.anyLocale], ...locales.map((each) => [each, each] as const)]}
                  onChange={set('locale')}
                />
                {text('return_url', form.returnUrl, form.returnHint, url)}
                {text('merchant_terms_and_conditions_url', form.terms, undefined, url)}
                {text('merchant_url', form.website, undefined, url)}
                {text('merchant_banner_url', form.banner, undefined, url)}
                {text('merchant_favicon_url', form.favicon, undefined, url)}
              </div>
            </Card>
            <div className="grid gap-3">
              {problem && (
                <div role="alert">
                  <Notice tone="bad">{problem}</Notice>
                </div>
              )}
              {create.error && <ErrorNotice error={create.error} />}
              <div className="flex justify-end gap-2">
                <ButtonLink to={`/${account}/payment-links`}>{commonWords.cancel}</ButtonLink>
                <Button type="submit" look="primary" busy={create.isPending}>
                  {words.createButton}
                </Button>
              </div>
            </div>
          </form>
        }
        side={
          <div className="sticky top-4 max-lg:mt-4">
            <LinkPreview
              link={{
                amount,
                currency,
                isReserved: values.intent === 'authorize',
                merchantName: values.merchant_name.trim(),
                message: values.merchant_message.trim(),
                color: values.merchant_color,
                hasTerms: values.merchant_terms_and_conditions_url.trim() !== '',
                items,
              }}
            />
          </div>
        }
      />
    </Layout>
  )
}
