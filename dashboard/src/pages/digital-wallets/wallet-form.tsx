import type { DigitalWallet, DigitalWalletAddress } from '@railyard/client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { countryCodes, nameCountry } from '../../format/names.ts'
import { CheckField, SelectField, TextArea, TextField } from '../../parts/forms/field.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { Button, ButtonLink } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { commonWords } from '../../words/common.ts'
import { walletWords } from '../../words/connections/digital-wallets.ts'

const words = walletWords.form

export type Provider = 'apple' | 'google' | 'click-to-pay'

export interface WalletInput {
  merchant_name: string
  merchant_display_name: string | null
  merchant_url: string | null
  merchant_country_code: string | null
  merchant_category_code: string | null
  address: DigitalWalletAddress | null
  extra_configuration: Record<string, unknown> | null
}

const addressMembers = ['line1', 'line2', 'city', 'state_code', 'postal_code'] as const

/** A member of the configuration that only one provider has. */
const extras = {
  apple: ['apple_domain_association', words.association, words.associationHint],
  'click-to-pay': ['digital_payment_application_id', words.application, words.applicationHint],
} as const

/** What a wallet knows of the merchant. `wallet`: the one that is edited. */
export function WalletForm({
  provider,
  wallet,
  back,
  busy,
  error,
  onSubmit,
}: {
  provider: Provider
  wallet?: DigitalWallet
  back: string
  busy: boolean
  error: unknown
  /** `domains`: of a new wallet. */
  onSubmit: (input: WalletInput, domains: string[]) => void
}): ReactNode {
  const [values, setValues] = useState<Record<string, string>>({
    merchant_name: wallet?.merchant_name ?? '',
    merchant_display_name: wallet?.merchant_display_name ?? '',
    merchant_url: wallet?.merchant_url ?? '',
    merchant_country_code: wallet?.merchant_country_code ?? '',
    merchant_category_code: wallet?.merchant_category_code ?? '',
    ...Object.fromEntries(addressMembers.map((member) => [member, wallet?.address?.[member] ?? ''])),
  })
  const [extraKey, extraLabel, extraHint] = provider === 'google' ? [] : extras[provider]
  const [extra, setExtra] = useState(
    extraKey && wallet?.extra_configuration ? String(wallet.extra_configuration[extraKey] ?? '') : '',
  )
  const [domains, setDomains] = useState('')
  const [hasAccepted, setAccepted] = useState(wallet !== undefined)
  const [isTried, setTried] = useState(false)
  const problems = problemsOf(error)
  const value = (member: string) => values[member] ?? ''
  const orNull = (member: string) => value(member).trim() || null
  const field = (member: keyof typeof words & string, { optional = true, hint = '', problem = '' } = {}) => (
    <TextField
      label={words[member]}
      hint={hint}
      optional={optional}
      value={value(member)}
      onChange={(text) => setValues({ ...values, [member]: text })}
      problem={problem || (problems[`/${member}`] ?? problems[`/address/${member}`])}
    />
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!value('merchant_name').trim() || !hasAccepted) return
    const address = Object.fromEntries(
      addressMembers.flatMap((member) => (orNull(member) ? [[member, value(member).trim()]] : [])),
    )
    const { ...others } = wallet?.extra_configuration ?? {}
    if (extraKey) delete others[extraKey]
    const configuration = { ...others, ...(extraKey && extra.trim() && { [extraKey]: extra.trim() }) }
    onSubmit(
      {
        merchant_name: value('merchant_name').trim(),
        merchant_display_name: orNull('merchant_display_name'),
        merchant_url: orNull('merchant_url'),
        merchant_country_code: orNull('merchant_country_code'),
        merchant_category_code: orNull('merchant_category_code'),
        // the server says which members of an address are missing
        address: Object.keys(address).length > 0 ? (address as unknown as DigitalWalletAddress) : null,
        extra_configuration: Object.keys(configuration).length > 0 ? configuration : null,
      },
      domains
        .split(',')
        .map((domain) => domain.trim())
        .filter(Boolean),
    )
  }
  return (
    <form noValidate onSubmit={submit} className="max-w-3xl">
      <Card title={words.details}>
        <div className="grid gap-4 sm:grid-cols-2">
          {field('merchant_name', {
            optional: false,
            problem: isTried && !value('merchant_name').trim() ? words.needName : '',
          })}
          {field('merchant_display_name', { hint: words.displayHint })}
          {field('merchant_url', { optional: provider === 'google', hint: words.urlHint })}
          <SelectField
            label={words.merchant_country_code}
            optional
            value={value('merchant_country_code')}
            onChange={(code) => setValues({ ...values, merchant_country_code: code })}
            options={[
              ['', commonWords.none],
              ...countryCodes().map((code) => [code, nameCountry(code)] as const),
            ]}
            problem={problems['/merchant_country_code']}
          />
          {field('merchant_category_code', { hint: words.categoryHint })}
          {!wallet && provider === 'apple' && (
            <TextField
              label={words.domains}
              hint={words.domainsHint}
              optional
              value={domains}
              onChange={setDomains}
              problem={Object.entries(problems).find(([at]) => at.startsWith('/domain_names'))?.[1]}
            />
          )}
        </div>
        {extraLabel && (
          <div className="mt-4">
            <TextArea
              label={extraLabel}
              hint={extraHint}
              optional
              rows={provider === 'apple' ? 4 : 1}
              spellCheck={false}
              value={extra}
              onChange={setExtra}
              problem={Object.entries(problems).find(([at]) => at.startsWith('/extra_configuration'))?.[1]}
            />
          </div>
        )}
      </Card>
      <Card title={words.address}>
        <div className="grid gap-4 sm:grid-cols-2">
          {field('line1')}
          {field('line2')}
          {field('city')}
          {field('state_code', { hint: words.stateHint })}
          {field('postal_code')}
        </div>
      </Card>
      {!wallet && (
        <div className="mb-4">
          <CheckField label={words.terms} checked={hasAccepted} onChange={setAccepted} />
          {isTried && !hasAccepted && (
            <p role="alert" className="mt-1 text-xs text-bad">
              {words.needTerms}
            </p>
          )}
        </div>
      )}
      {error ? <ErrorNotice error={error} /> : null}
      <div className="mt-4 mb-4 flex justify-end gap-2">
        <ButtonLink to={back}>{commonWords.cancel}</ButtonLink>
        <Button type="submit" look="primary" busy={busy}>
          {wallet ? commonWords.save : words.register}
        </Button>
      </div>
    </form>
  )
}
