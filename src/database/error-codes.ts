/** PostgreSQL's code of a statement that the role may not run. */
export const INSUFFICIENT_PRIVILEGE = '42501'
