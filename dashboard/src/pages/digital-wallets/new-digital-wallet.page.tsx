import type { DigitalWalletCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { useAction, useLoad } from '../../api/use-api.ts'
import { SelectField } from '../../parts/forms/field.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { walletWords as words } from '../../words/connections/digital-wallets.ts'
import { type Provider, WalletForm } from './wallet-form.tsx'

const providers = ['apple', 'google', 'click-to-pay'] as const satisfies readonly Provider[]

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const home = `/${account}/digital-wallets`
  const [chosen, setChosen] = useState<string>()
  const query = useLoad(['digital-wallets', 'registered'], async (api, signal) => {
    const { items } = await api.digitalWallets.list({ signal }).page()
    return items.map(({ provider }) => provider)
  })
  const create = useAction({
    run: (api, input: DigitalWalletCreate) => api.digitalWallets.create(input),
    onDone: ({ id }) => {
      say(words.form.registered)
      navigate(`${home}/${id}`)
    },
    changes: [['digital-wallets']],
  })
  return (
    <Layout title={words.register} above={[{ text: words.title, to: home }]}>
      <Loaded query={query}>
        {(registered) => {
          const free = providers.filter((provider) => !registered.includes(provider))
          const provider = free.find((each) => each === chosen) ?? free[0]
          if (!provider) return <Empty title={words.allThere} />
          return (
            <>
              <div className="mb-4 max-w-sm">
                <SelectField
                  label={words.form.provider}
                  value={provider}
                  onChange={(next) => {
                    create.reset()
                    setChosen(next)
                  }}
                  options={free.map((each) => [each, words.providers[each] ?? each])}
                />
              </div>
              <WalletForm
                key={provider}
                provider={provider}
                back={home}
                busy={create.isPending}
                error={create.error}
                onSubmit={(input, domain_names) =>
                  create.mutate({ ...input, provider, domain_names, accept_terms_and_conditions: true })
                }
              />
            </>
          )
        }}
      </Loaded>
    </Layout>
  )
}
