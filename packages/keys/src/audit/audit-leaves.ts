import type { Migration } from '@tallystick/database'

/** SQL of the bytes that a row of `audit` is hashed from. They do not depend on settings of the session. */
export const auditContent = (row: string) =>
  `jsonb_build_array(${row}.id, (extract(epoch from ${row}.at) * 1000000)::bigint, ${row}.actor, ${row}.remark, ${row}.action,
     ${row}.subject, ${row}.details)::text`

// The hash of a leaf as RFC 6962 has it: SHA-256 of a zero byte and the content.
const leafOf = (row: string) => `sha256('\\x00'::bytea || convert_to(${auditContent(row)}, 'UTF8'))`

/**
 * Every row of `audit` is a leaf of a Merkle tree. A trigger writes it, also for replicas of the release before. It runs at
 * the end of the transaction, so that its lock is the last one: the leaves have consecutive numbers on all replicas.
 */
export const auditLeafMigrations: readonly Migration[] = [
  {
    name: 'audit leaves',
    statements: [
      `create table audit_leaves (
         index bigint primary key, audit_id bigint not null unique, leaf_hash bytea not null)`,
      // A row that is inserted meanwhile would have no leaf.
      'lock table audit in share row exclusive mode',
      `insert into audit_leaves select row_number() over (order by old.id) - 1, old.id, ${leafOf('old')} from audit old`,
      `create function add_audit_leaf() returns trigger language plpgsql as $$ begin
         lock table audit_leaves in share row exclusive mode;
         insert into audit_leaves
           select coalesce(max(leaf.index) + 1, 0), new.id, ${leafOf('new')} from audit_leaves leaf;
         return null;
       end $$`,
      `create constraint trigger audit_leaf after insert on audit deferrable initially deferred
         for each row execute function add_audit_leaf()`,
      `create trigger audit_leaves_append_only before update or delete or truncate on audit_leaves
         for each statement execute function refuse_audit_change()`,
    ],
    since: '0.2.0',
    worksWith: '0.1.0',
    undo: [
      // The entry of the revert itself waits for the end of the transaction.
      'set constraints all immediate',
      'drop trigger audit_leaf on audit',
      'drop function add_audit_leaf()',
      'drop table audit_leaves',
    ],
    loses: 'the hashes by which changed and deleted rows of the audit are found',
  },
]
