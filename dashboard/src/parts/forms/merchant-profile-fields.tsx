import type { ReactNode } from 'react'
import { merchantProfileWords as words } from '../../words/connections/merchant-profile.ts'
import { TextField } from './field.tsx'

const members = [
  'merchant_acquirer_bin',
  'merchant_acquirer_id',
  'merchant_name',
  'merchant_country_code',
  'merchant_category_code',
  'merchant_url',
] as const

/** The name under which a merchant asks a card scheme to authenticate cardholders. */
export type MerchantProfile = Record<(typeof members)[number], string>

export const profileOf = (profile: MerchantProfile | null | undefined): MerchantProfile =>
  Object.fromEntries(members.map((member) => [member, profile?.[member] ?? ''])) as MerchantProfile

/** `problemOf` has the messages by member. */
export const MerchantProfileFields = ({
  value,
  onChange,
  problemOf,
}: {
  value: MerchantProfile
  onChange: (value: MerchantProfile) => void
  problemOf: (member: string) => string | undefined
}): ReactNode =>
  members.map((member) => (
    <TextField
      key={member}
      label={words[member]}
      hint={words.hints[member]}
      value={value[member]}
      onChange={(text) => onChange({ ...value, [member]: text })}
      problem={problemOf(member)}
    />
  ))
