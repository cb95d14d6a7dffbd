import type { PaymentService, PaymentServiceDefinition } from '@railyard/client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { nameCountry, nameCurrency } from '../../format/names.ts'
import { ChoicesField } from '../../parts/forms/choices-field.tsx'
import { DefinitionFields, fieldProblems, useFieldsForm } from '../../parts/forms/definition-fields.tsx'
import { CheckField, TextField } from '../../parts/forms/field.tsx'
import { ErrorNotice, Notice } from '../../parts/messages/notice.tsx'
import { Button, ButtonLink } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { commonWords } from '../../words/common.ts'
import { paymentServiceWords } from '../../words/connections/payment-services.ts'

const words = paymentServiceWords.form

type Field = { key: string; value: string }

/** What can be switched on, and the feature that a definition needs for it. */
const switches = [
  ['three_d_secure_enabled', 'three_d_secure_hosted', words.threeDSHint],
  ['payment_method_tokenization_enabled', 'payment_method_tokenization', undefined],
  ['network_tokens_enabled', 'network_tokens', undefined],
  ['open_loop', 'open_loop', words.openLoopHint],
  ['settlement_reporting_enabled', 'settlement_reporting', undefined],
] as const
type Switch = (typeof switches)[number][0]

export interface PaymentServiceInput {
  display_name: string
  fields: Field[]
  active: boolean
  accepted_currencies: string[]
  accepted_countries: string[]
  options: Partial<Record<Switch, boolean>>
}

/** The form of a payment service, made from its definition. `service`: the one that is edited. */
export function PaymentServiceForm({
  definition,
  service,
  back,
  busy,
  error,
  onSubmit,
}: {
  definition: PaymentServiceDefinition
  service?: PaymentService
  /** Where the form leads without a change. */
  back: string
  busy: boolean
  error: unknown
  onSubmit: (input: PaymentServiceInput) => void
}): ReactNode {
  const { supported_currencies, supported_countries, supported_features } = definition
  const [name, setName] = useState(service?.display_name ?? definition.display_name)
  const [isActive, setActive] = useState(service?.active ?? true)
  const [currencies, setCurrencies] = useState<string[]>(service?.accepted_currencies ?? supported_currencies)
  const [countries, setCountries] = useState<string[]>(service?.accepted_countries ?? supported_countries)
  const offered = switches.filter(([, feature]) => supported_features[feature])
  const [options, setOptions] = useState<Partial<Record<Switch, boolean>>>(() =>
    Object.fromEntries(
      offered.map(([member]) => [
        member,
        service
          ? Boolean(service[member])
          : member === 'open_loop' ||
            (member === 'network_tokens_enabled' && Boolean(supported_features['network_tokens_default'])),
      ]),
    ),
  )
  const form = useFieldsForm(definition.fields, service?.fields ?? [])
  const [isTried, setTried] = useState(false)
  const [sent, setSent] = useState<Field[]>([])
  const check = useAction({
    run: (api, fields: Field[]) =>
      api.paymentServices.verify({
        payment_service_definition_id: definition.id,
        ...(service && { payment_service_id: service.id }),
        fields,
      }),
    changes: [],
  })
  const problems = problemsOf(error)
  const missing = (text: string, is: boolean) => (isTried && is ? text : undefined)
  const starts = (pointer: string) => Object.entries(problems).find(([each]) => each.startsWith(pointer))?.[1]

  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (busy || !name.trim() || currencies.length === 0 || countries.length === 0) return
    const fields = form.changed()
    setSent(fields)
    onSubmit({
      display_name: name.trim(),
      fields,
      active: isActive,
      accepted_currencies: currencies,
      accepted_countries: countries,
      options,
    })
  }
  return (
    <form noValidate onSubmit={submit} className="max-w-3xl">
      <Card title={words.general}>
        <div className="grid gap-4">
          <TextField
            label={words.name}
            hint={words.nameHint}
            value={name}
            onChange={setName}
            maxLength={200}
            problem={missing(words.needName, !name.trim()) ?? problems['/display_name']}
          />
          <CheckField label={words.active} hint={words.activeHint} checked={isActive} onChange={setActive} />
        </div>
      </Card>
      <Card title={words.credentials}>
        <div className="grid gap-4 sm:grid-cols-2">
          {definition.fields.length === 0 && <p className="text-sm text-ink-3">{words.noFields}</p>}
          <DefinitionFields
            fields={definition.fields}
            form={form}
            isStored={service !== undefined}
            problems={{ ...fieldProblems(check.error, sent), ...fieldProblems(error, sent) }}
          />
        </div>
        {supported_features['verify_credentials'] && (
          <div className="mt-4 grid gap-2">
            <Button
              className="justify-self-start"
              busy={check.isPending}
              onClick={() => {
                const fields = form.changed()
                setSent(fields)
                check.mutate(fields)
              }}
            >
              {words.check}
            </Button>
            {check.isSuccess && (
              <div role="status">
                <Notice tone="good">{words.checkGood}</Notice>
              </div>
            )}
            {check.error && <ErrorNotice error={check.error} />}
          </div>
        )}
      </Card>
      <Card title={words.accepts}>
        <div className="grid gap-4">
          <ChoicesField
            label={words.currencies}
            options={supported_currencies.map((code) => [code, nameCurrency(code)])}
            values={currencies}
            onChange={setCurrencies}
            allText={words.allCurrencies(supported_currencies.length)}
            problem={missing(words.needCurrency, currencies.length === 0) ?? starts('/accepted_currencies')}
          />
          <ChoicesField
            label={words.countries}
            options={supported_countries.map((code) => [code, nameCountry(code)])}
            values={countries}
            onChange={setCountries}
            allText={words.allCountries(supported_countries.length)}
            problem={missing(words.needCountry, countries.length === 0) ?? starts('/accepted_countries')}
          />
        </div>
      </Card>
      {offered.length > 0 && (
        <Card title={words.options}>
          <div className="grid gap-3">
            {offered.map(([member, , hint]) => (
              <CheckField
                key={member}
                label={words[member]}
                {...(hint && { hint })}
                checked={options[member] ?? false}
                onChange={(checked) => setOptions({ ...options, [member]: checked })}
              />
            ))}
          </div>
        </Card>
      )}
      {error ? <ErrorNotice error={error} /> : null}
      <div className="mt-4 flex justify-end gap-2">
        <ButtonLink to={back}>{commonWords.cancel}</ButtonLink>
        <Button type="submit" look="primary" busy={busy}>
          {service ? words.save : words.create}
        </Button>
      </div>
    </form>
  )
}
