import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { isSandbox } from '../../api/place.ts'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { TabLinks } from '../../parts/page/tabs.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { fraudWords as words } from '../../words/connections/fraud.ts'
import { AntiFraudServices } from './anti-fraud-services.tsx'
import { OpenReviews } from './open-reviews.tsx'
import { Scenarios } from './scenarios.tsx'
import { Configurations } from './three-ds-configurations.tsx'

const views = [
  { name: 'reviews', text: words.reviews.title, scope: 'transactions.read', View: OpenReviews },
  {
    name: 'services',
    text: words.services.title,
    scope: 'anti-fraud-services.read',
    View: AntiFraudServices,
  },
  { name: '3ds', text: words.configurations.title, scope: 'merchant-accounts.read', View: Configurations },
  { name: 'scenarios', text: words.scenarios.title, scope: 'three-ds-scenarios.read', View: Scenarios },
] as const

export function Page(): ReactNode {
  const { account, may } = useSignedIn()
  const [params] = useSearchParams()
  const shown = views.filter(({ name, scope }) => may(scope) && (name !== 'scenarios' || isSandbox))
  const current = shown.find(({ name }) => name === params.get('view')) ?? shown[0]
  if (!current) return null
  const { View } = current
  return (
    <Layout title={words.title}>
      <TabLinks
        label={words.views}
        tabs={shown.map(({ name, text }) => ({
          text,
          to: `/${account}/fraud?view=${name}`,
          current: name === current.name,
        }))}
      />
      <View />
    </Layout>
  )
}
