import type { PaymentService } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { cardSchemes } from '../../format/card-schemes.ts'
import { readable } from '../../format/names.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { SelectField } from '../../parts/forms/field.tsx'
import {
  type MerchantProfile,
  MerchantProfileFields,
  profileOf,
} from '../../parts/forms/merchant-profile-fields.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { useMay } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { paymentServiceWords } from '../../words/connections/payment-services.ts'

const words = paymentServiceWords.profiles

type Profiles = Record<string, MerchantProfile>

/** The profiles of a payment service, without those that were removed. */
const profilesOf = ({ merchant_profile }: PaymentService): Profiles =>
  Object.fromEntries(
    Object.entries(merchant_profile ?? {}).flatMap(([scheme, profile]) =>
      profile ? [[scheme, profileOf(profile)]] : [],
    ),
  )

/** Under which name issuers know the merchant, for each card scheme. */
export function ServiceProfiles({ service }: { service: PaymentService }): ReactNode {
  const may = useMay('payment-services.write')
  const say = useSay()
  const profiles = profilesOf(service)
  const editing = useDialog<{ scheme?: string }>()
  const removing = useDialog<string>()
  const write = useAction({
    run: (api, after: Profiles) => api.paymentServices.update(service.id, { merchant_profile: after }),
    onDone: () => {
      say(commonWords.done)
      editing.close()
      removing.close()
    },
    changes: [['payment-services']],
  })
  return (
    <Card
      title={words.title}
      aside={
        may && (
          <Button
            onClick={() => {
              write.reset()
              editing.open({})
            }}
          >
            {words.add}
          </Button>
        )
      }
    >
      <p className="text-sm text-ink-2">{words.text}</p>
      {Object.keys(profiles).length === 0 && <p className="mt-2 text-sm text-ink-3">{words.none}</p>}
      <ul className="mt-2">
        {Object.entries(profiles).map(([scheme, { merchant_name, merchant_acquirer_id }]) => (
          <li
            key={scheme}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line py-1.5 first:border-t-0"
          >
            <span className="w-28 font-medium">{readable(scheme)}</span>
            <span className="min-w-0 flex-1 break-words text-sm text-ink-2">
              {merchant_name}, {merchant_acquirer_id}
            </span>
            {may && (
              <>
                <Button
                  look="quiet"
                  aria-label={words.edit(readable(scheme))}
                  onClick={() => {
                    write.reset()
                    editing.open({ scheme })
                  }}
                >
                  {commonWords.edit}
                </Button>
                <Button
                  look="quiet"
                  aria-label={words.remove(readable(scheme))}
                  onClick={() => {
                    write.reset()
                    removing.open(scheme)
                  }}
                >
                  {commonWords.delete}
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      {editing.about && (
        <ProfileDialog
          scheme={editing.about.scheme}
          profiles={profiles}
          busy={write.isPending}
          error={write.error}
          onClose={editing.close}
          onSave={(scheme, profile) => write.mutate({ ...profiles, [scheme]: profile })}
        />
      )}
      <FormDialog
        open={removing.about !== undefined}
        onClose={removing.close}
        title={words.remove(readable(removing.about ?? ''))}
        text={words.removeText}
        submit={commonWords.delete}
        danger
        busy={write.isPending}
        error={write.error}
        onSubmit={() =>
          write.mutate(
            Object.fromEntries(Object.entries(profiles).filter(([scheme]) => scheme !== removing.about)),
          )
        }
      />
    </Card>
  )
}

function ProfileDialog({
  scheme: known,
  profiles,
  busy,
  error,
  onClose,
  onSave,
}: {
  /** Undefined: a new one. */
  scheme: string | undefined
  profiles: Profiles
  busy: boolean
  error: unknown
  onClose: () => void
  onSave: (scheme: string, profile: MerchantProfile) => void
}): ReactNode {
  const free = cardSchemes.filter((each) => !profiles[each])
  const [scheme, setScheme] = useState<string>(known ?? free[0] ?? '')
  const [profile, setProfile] = useState(profileOf(known ? profiles[known] : undefined))
  const problems = problemsOf(error)
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={known ? words.edit(readable(known)) : words.add}
      submit={words.save}
      busy={busy}
      error={error}
      onSubmit={() => onSave(scheme, profile)}
    >
      {!known && (
        <SelectField
          label={words.scheme}
          value={scheme}
          onChange={setScheme}
          options={free.map((each) => [each, readable(each)])}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <MerchantProfileFields
          value={profile}
          onChange={setProfile}
          problemOf={(member) => problems[`/merchant_profile/${scheme}/${member}`]}
        />
      </div>
    </FormDialog>
  )
}
