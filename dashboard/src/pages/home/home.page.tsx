import { lazy, type ReactNode, Suspense } from 'react'
import { Empty } from '../../parts/messages/notice.tsx'
import { Card, Columns, Page as Layout, Skeleton } from '../../parts/page/layout.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { homeWords as words } from '../../words/home.ts'
import { FiguresCard } from './figures-card.tsx'
import { WorkCard, workScopes } from './work-card.tsx'

// what does not stand at the top is loaded after it: the first page has to be small
const SetUpCard = lazy(() => import('./set-up-card.tsx'))
const IncidentsCard = lazy(() => import('./incidents-card.tsx'))
const ServicesCard = lazy(() => import('./services-card.tsx'))
const VerificationCard = lazy(() => import('./verification-card.tsx'))

const Later = ({ children }: { children: ReactNode }): ReactNode => (
  <Suspense
    fallback={
      <Card>
        <Skeleton />
      </Card>
    }
  >
    {children}
  </Suspense>
)

/** How the account does, and what waits for a person. Each part is for the roles that may read what it shows. */
export function Page(): ReactNode {
  const { may } = useSignedIn()
  const shows = {
    figures: may('metrics-explorer.read'),
    work: workScopes.some(may),
    incidents: may('monitoring.read'),
    services: may('payment-services.read'),
    verification: may('transactions.read'),
  }
  return (
    <Layout title={words.title}>
      <Suspense>
        <SetUpCard />
      </Suspense>
      {shows.figures && <FiguresCard />}
      <Columns
        main={
          <>
            {shows.work && <WorkCard />}
            <Later>{shows.incidents && <IncidentsCard />}</Later>
          </>
        }
        side={
          <>
            <Later>{shows.services && <ServicesCard />}</Later>
            <Later>{shows.verification && <VerificationCard />}</Later>
          </>
        }
      />
      {!Object.values(shows).some(Boolean) && <Empty title={words.nothing}>{words.nothingText}</Empty>}
    </Layout>
  )
}
