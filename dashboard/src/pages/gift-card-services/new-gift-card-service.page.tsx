import type { GiftCardServiceCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { useAction } from '../../api/use-api.ts'
import { DefinitionChoice, ServiceForm } from '../../parts/forms/service-form.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { giftCardServiceWords as words } from '../../words/connections/gift-card-services.ts'
import { serviceFormWords } from '../../words/connections/service-form.ts'
import { definitions } from './definitions.ts'

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const home = `/${account}/gift-card-services`
  const [chosen, setChosen] = useState<string>(definitions[0]?.id ?? '')
  const definition = definitions.find(({ id }) => id === chosen)
  const create = useAction({
    run: (api, input: GiftCardServiceCreate) => api.giftCardServices.create(input),
    onDone: ({ id }) => {
      say(serviceFormWords.connected)
      navigate(`${home}/${id}`)
    },
    changes: [['gift-card-services']],
  })
  return (
    <Layout title={words.newTitle} above={[{ text: words.title, to: home }]}>
      <DefinitionChoice
        definitions={definitions}
        value={chosen}
        onChange={(id) => {
          create.reset()
          setChosen(id)
        }}
      />
      {definition && (
        <ServiceForm
          key={definition.id}
          definition={definition}
          activeHint={words.active}
          back={home}
          busy={create.isPending}
          error={create.error}
          onSubmit={(input) => create.mutate({ ...input, gift_card_service_definition_id: definition.id })}
        />
      )}
    </Layout>
  )
}
