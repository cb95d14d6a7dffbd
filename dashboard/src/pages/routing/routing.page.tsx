import type { FlowRule } from '@railyard/client'
import { type ReactNode, useMemo } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { Empty, ErrorNotice } from '../../parts/messages/notice.tsx'
import { Button, ButtonLink } from '../../parts/page/button.tsx'
import { Card, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { TabLinks } from '../../parts/page/tabs.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { routingWords as words } from '../../words/connections/routing.ts'
import { compareRules } from './describe-rule.ts'
import { DraftBar } from './draft-bar.tsx'
import { type Flow, flows, isFlow, isReplayable } from './flows.ts'
import { RuleList } from './rule-list.tsx'
import { RulesDiff } from './rules-diff.tsx'
import { useRuleChanges } from './use-rule-changes.ts'
import { type Rules, useRules, useServices } from './use-rules.ts'
import { VersionList } from './version-list.tsx'

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const [params] = useSearchParams()
  const wanted = params.get('flow')
  const flow = isFlow(wanted) ? wanted : 'card-transaction'
  return (
    <Layout title={words.title}>
      <TabLinks
        label={words.flows}
        tabs={flows.map((each) => ({
          text: words.flow[each],
          to: `/${account}/routing?flow=${each}`,
          current: each === flow,
        }))}
      />
      <p className="mb-3 text-sm text-ink-3">{words.flowText[flow]}</p>
      <FlowRules key={flow} flow={flow} view={params.get('view')} />
    </Layout>
  )
}

function FlowRules({ flow, view }: { flow: Flow; view: string | null }): ReactNode {
  const query = useRules(flow)
  return (
    <Loaded query={query} lines={8}>
      {(rules) => <Views flow={flow} rules={rules} view={view} />}
    </Loaded>
  )
}

/** The draft where there is one, the live rules, and all versions. */
function Views({ flow, rules, view: wanted }: { flow: Flow; rules: Rules; view: string | null }): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const services = useServices()
  const { live, draft } = rules
  const home = `/${account}/routing?flow=${flow}`
  const view = wanted === 'versions' || wanted === 'live' ? wanted : draft ? 'draft' : 'live'
  const mayWrite = useMay('flows.write')
  // without a draft, the live rules are what a change begins with; the list stays in its place when that makes one
  const isEditable = view === 'draft' || (view === 'live' && !draft && mayWrite)
  const changes = useMemo(
    () => (draft ? compareRules(live?.items ?? [], draft.items, services) : []),
    [live, draft, services],
  )
  return (
    <>
      <DraftBar flow={flow} rules={rules} changes={changes} onGone={() => navigate(home)} />
      <TabLinks
        label={words.views}
        tabs={[
          ...(draft ? [{ text: words.viewDraft(changes.length), to: home, current: view === 'draft' }] : []),
          { text: words.viewLive, to: `${home}&view=live`, current: view === 'live' },
          { text: words.viewVersions, to: `${home}&view=versions`, current: view === 'versions' },
        ]}
      />
      {view === 'versions' && <VersionList flow={flow} />}
      {view === 'live' && (
        <div className="mb-3 flex flex-wrap items-center gap-3 text-sm text-ink-3">
          <p className="mr-auto">
            {live && words.liveText(live.version)} {live && isEditable && words.startDraft}
          </p>
          {isReplayable(flow) && live && (
            <ButtonLink to={`/${account}/routing/${flow}/replay?rules=live`}>{words.draft.replay}</ButtonLink>
          )}
        </div>
      )}
      {isEditable && <EditableRules flow={flow} rules={(draft ?? live)?.items ?? []} isLive={!draft} />}
      {view === 'live' &&
        !isEditable &&
        (live && live.items.length > 0 ? (
          <RuleList rules={live.items} services={services} />
        ) : (
          <NoRules flow={flow} />
        ))}
      {view === 'draft' && (
        <div className="mt-4">
          <Card title={words.draft.changes}>
            <RulesDiff changes={changes} />
          </Card>
        </div>
      )}
    </>
  )
}

const NoRules = ({ flow }: { flow: Flow }): ReactNode => (
  <Empty title={words.noneLive}>{flow === 'checkout' ? words.noneLiveOptions : words.noneLiveText}</Empty>
)

function EditableRules({
  flow,
  rules,
  isLive,
}: {
  flow: Flow
  rules: readonly FlowRule[]
  isLive: boolean
}): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('flows.write')
  const navigate = useNavigate()
  const services = useServices()
  const removing = useDialog<FlowRule>()
  const { move, turn, remove } = useRuleChanges(flow, () => {
    removing.close()
    // where there was no draft, now there is one
    navigate(`/${account}/routing?flow=${flow}`)
  })
  const error = move.error ?? turn.error
  const page = `/${account}/routing/${flow}/rules`
  return (
    <>
      {error && <ErrorNotice error={error} />}
      {rules.length === 0 &&
        (isLive ? <NoRules flow={flow} /> : <Empty title={words.noneDraft}>{words.noneDraftText}</Empty>)}
      <RuleList
        rules={rules}
        services={services}
        onMove={
          mayWrite
            ? (from, to) => {
                const rule = rules[from]
                if (rule && !move.isPending) move.mutate({ id: rule.id, to })
              }
            : undefined
        }
        {...(mayWrite && {
          actions: (rule: FlowRule) => (
            <>
              <ButtonLink
                look="quiet"
                to={`${page}/${rule.id}`}
                aria-label={words.rule.edit(rule.display_name)}
              >
                {commonWords.edit}
              </ButtonLink>
              <Button
                look="quiet"
                aria-label={(rule.active ? words.rule.turnOffOf : words.rule.turnOnOf)(rule.display_name)}
                onClick={() => turn.mutate({ rule, active: !rule.active })}
              >
                {rule.active ? words.rule.turnOff : words.rule.turnOn}
              </Button>
              <Button
                look="quiet"
                aria-label={words.rule.remove(rule.display_name)}
                onClick={() => removing.open(rule)}
              >
                {commonWords.delete}
              </Button>
            </>
          ),
        })}
      />
      {mayWrite && (
        <ButtonLink look={rules.length === 0 ? 'primary' : 'plain'} className="mt-3" to={`${page}/new`}>
          {words.addRule}
        </ButtonLink>
      )}
      <FormDialog
        open={removing.about !== undefined}
        onClose={removing.close}
        title={words.rule.remove(removing.about?.display_name ?? '')}
        text={words.rule.removeText}
        submit={commonWords.delete}
        danger
        busy={remove.isPending}
        error={remove.error}
        onSubmit={() => {
          if (removing.about) remove.mutate(removing.about.id)
        }}
      />
    </>
  )
}
