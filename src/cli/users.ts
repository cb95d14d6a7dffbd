import { type Role, roles } from '../accounts/roles/role.ts'
import { createSignInLink } from '../accounts/sign-in/sign-in-link.store.ts'
import { type Invitation, invitationUrl } from '../accounts/users/invitation.store.ts'
import {
  deleteUser,
  findUser,
  findUserByAddress,
  insertUser,
  listUsers,
  renewInvitation,
} from '../accounts/users/user.store.ts'
import { nameProblem, type UserRow, userStatus } from '../accounts/users/user.ts'
import { ApiError } from '../api/errors.ts'
import { isUuid } from '../api/values/uuid.ts'
import type { Database } from '../database/database.ts'
import type { Settings } from '../settings.ts'
import { commandStore, withDatabase, withNewOrExistingDatabase } from './support/command-database.ts'
import { runAsCommandLine } from './support/command-line-actor.ts'
import { requireMerchantAccounts } from './support/require-merchant-accounts.ts'
import { printTable } from './support/table.ts'
import { UserError } from './support/user-error.ts'

export interface InvitedUser {
  email: string
  name: string
  /** Slugs of the person's roles. */
  role: string[]
  merchantAccount: string[]
}

/** `railyard users add`: invites a person, such as the first administrator of an instance. */
export async function addUser(
  settings: Settings,
  { email, name, role: roleSlugs, merchantAccount: merchantAccountIds }: InvitedUser,
): Promise<void> {
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254)
    throw new UserError(`${email} is not an email address`)
  const problem = nameProblem(name)
  if (problem) throw new UserError(`--name ${problem}`)
  const roleIds = readRoles(roleSlugs).map(({ slug }) => slug)
  await withNewOrExistingDatabase(settings, async (database) => {
    await requireMerchantAccounts(database, merchantAccountIds)
    const user = { emailAddress: email, name, roleIds, merchantAccountIds }
    const { row, invitation } = await runForUsers(() => insertUser(commandStore(database), user))
    printInvitation(settings, row, invitation)
  })
}

/**
 * The roles with these slugs, each once; throws `UserError` if one is not for people, or is an add-on without
 * its role.
 */
function readRoles(slugs: readonly string[]): Role[] {
  const forUsers = roles.filter(({ assignableTo }) => assignableTo.includes('user'))
  return [...new Set(slugs)].map((slug) => {
    const role = forUsers.find((known) => known.slug === slug)
    if (!role)
      throw new UserError(
        `there is no role ${slug} for people; there are ${forUsers.map((known) => known.slug).join(', ')}`,
      )
    if (role.appliesTo.length > 0 && !role.appliesTo.some((other) => slugs.includes(other)))
      throw new UserError(`the role ${slug} is given beside ${role.appliesTo.join(' or ')} only`)
    return role
  })
}

/** `railyard users list`: prints the people. */
export const listPeople = (settings: Settings): Promise<void> =>
  withDatabase(settings, async (database) => {
    const people = await allUsers(database)
    if (people.length === 0) return console.log('There are no people; railyard users add invites a person')
    printTable(
      ['id', 'email', 'status', 'roles', 'accounts', 'authenticator', 'name'],
      people.map((row) => [
        row.id,
        row.email_address,
        userStatus(row, Date.now()),
        row.role_ids.join(','),
        row.merchant_account_ids.join(',') || 'all accounts',
        row.totp_secret ? 'yes' : 'no',
        row.name,
      ]),
    )
  })

async function allUsers(database: Database): Promise<UserRow[]> {
  const rows: UserRow[] = []
  for (;;) {
    const last = rows.at(-1)
    const position = last && { direction: 'next' as const, key: last.created_at, id: last.id }
    const page = await listUsers(database, { search: null, accountIds: [] }, { limit: 100, position })
    rows.push(...page.slice(0, 100))
    if (page.length <= 100) return rows
  }
}

/**
 * `railyard users remove`: deletes a person, by address or id; their sessions end at once, in every process.
 */
export const removeUser = (settings: Settings, user: string): Promise<void> =>
  withDatabase(settings, async (database) => {
    const { id, email_address } = await findUserOrFail(database, user)
    await runForUsers(() => deleteUser(commandStore(database), id, (row) => row ?? failNotFound(user)))
    console.log(`Removed ${email_address}`)
  })

/**
 * `railyard users reset`: prints a new link for a person, by address or id; the password works until the link
 * is used.
 */
export const resetUser = (settings: Settings, user: string): Promise<void> =>
  withDatabase(settings, async (database) => {
    const { id } = await findUserOrFail(database, user)
    const { row, invitation } = await runForUsers(() =>
      renewInvitation(commandStore(database), id, (row) => row ?? failNotFound(user)),
    )
    printInvitation(settings, row, invitation)
  })

/** `railyard users sign-in-link`: prints a new one-time link of the sandbox's administrator. */
export async function printSignInLink(settings: Settings): Promise<void> {
  if (settings.environment === 'production')
    throw new UserError('sign-in links are for the sandbox only; railyard users add invites a person')
  await withDatabase(settings, async ({ db, time }) => {
    console.log(await createSignInLink({ db, clock: time }, publicUrlOf(settings)))
  })
}

const findUserOrFail = async (database: Database, user: string): Promise<UserRow> =>
  (isUuid(user) ? await findUser(database, user) : await findUserByAddress(database, user)) ??
  failNotFound(user)

function failNotFound(user: string): never {
  throw new UserError(`there is no person with the address or id ${user}; see railyard users list`)
}

/** Runs `work` with the command line as the actor in the audit log; a refusal becomes a `UserError`. */
async function runForUsers<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await runAsCommandLine(work)
  } catch (error) {
    throw error instanceof ApiError ? new UserError(error.message) : error
  }
}

/** `PUBLIC_URL`, or where `HOST` and `PORT` of this command say that the service is. */
const publicUrlOf = ({ publicUrl, host, port }: Settings): string => publicUrl ?? `http://${host}:${port}`

function printInvitation(settings: Settings, row: UserRow, invitation: Invitation): void {
  console.log(
    [
      `User ${row.id}`,
      `  email        ${row.email_address}`,
      `  role         ${row.role_ids.join(', ')}`,
      `  accounts     ${row.merchant_account_ids.join(', ') || 'all accounts'}`,
      `  good until   ${invitation.expiresAt}`,
      `  invitation   ${invitationUrl(publicUrlOf(settings), invitation)}`,
      'Hand the link on by a channel that you trust: the first person who opens it chooses the password.',
      ...(settings.publicUrl
        ? []
        : [
            'PUBLIC_URL is not set: the link leads to where HOST and PORT of this command say that the service is.',
          ]),
    ].join('\n'),
  )
}
