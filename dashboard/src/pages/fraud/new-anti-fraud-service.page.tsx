import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { every } from '../../api/every.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { DefinitionChoice, ServiceForm, type ServiceInput } from '../../parts/forms/service-form.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { fraudWords } from '../../words/connections/fraud.ts'
import { serviceFormWords } from '../../words/connections/service-form.ts'
import { PositionField, parsePosition } from './position-field.tsx'

const words = fraudWords.services

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const home = `/${account}/fraud?view=services`
  const [chosen, setChosen] = useState('')
  const [position, setPosition] = useState('')
  const query = useLoad(['anti-fraud-service-definitions'], (api, signal) =>
    every(api.antiFraudServiceDefinitions.list({ signal })),
  )
  const create = useAction({
    run: (api, input: ServiceInput & { anti_fraud_service_definition_id: string; position?: number }) =>
      api.antiFraudServices.create(input),
    onDone: ({ id }) => {
      say(serviceFormWords.connected)
      navigate(`/${account}/fraud/services/${id}`)
    },
    changes: [['anti-fraud-services']],
  })
  return (
    <Layout
      title={words.newTitle}
      above={[
        { text: fraudWords.title, to: `/${account}/fraud` },
        { text: words.title, to: home },
      ]}
    >
      <Loaded query={query}>
        {(definitions) => {
          const definition = definitions.find(({ id }) => id === chosen) ?? definitions[0]
          return (
            <>
              <DefinitionChoice definitions={definitions} value={definition?.id ?? ''} onChange={setChosen} />
              {definition && (
                <ServiceForm
                  key={definition.id}
                  definition={definition}
                  activeHint={words.active}
                  back={home}
                  busy={create.isPending}
                  error={create.error}
                  onSubmit={(input) => {
                    const place = parsePosition(position)
                    if (place !== null)
                      create.mutate({
                        ...input,
                        anti_fraud_service_definition_id: definition.id,
                        ...(place !== undefined && { position: place }),
                      })
                  }}
                >
                  <PositionField value={position} onChange={setPosition} />
                </ServiceForm>
              )}
            </>
          )
        }}
      </Loaded>
    </Layout>
  )
}
