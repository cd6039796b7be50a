import type { Migration } from '@tallystick/database'

// `revision` counts changes. It comes from one row that every change locks, so revisions are committed in order and a
// reader of "everything above revision n" misses no change. A sequence could hand out 5 and 6 and commit 6 first.
export const keyMigrations: readonly Migration[] = [
  {
    name: 'keys',
    statements: [
      `create table api_keys (
         id text primary key, name text not null, kind text not null, scopes text[] not null, rpm int,
         created_at bigint not null, expires_at bigint, revoked_at bigint, last_used_at bigint,
         revision bigint not null unique)`,
      `create table api_key_secrets (
         hash text primary key, key_id text not null references api_keys, created_at bigint not null, expires_at bigint)`,
      'create index api_key_secrets_by_key on api_key_secrets (key_id)',
      'create table api_key_revision (value bigint not null)',
      'insert into api_key_revision values (0)',
    ],
  },
]

// A trigger gives each revision a random id, so that a replica of an earlier version writes it too.
export const keyChangeMigrations: readonly Migration[] = [
  {
    name: 'key changes',
    statements: [
      'create table api_key_changes (revision bigint primary key, id uuid not null default gen_random_uuid())',
      'insert into api_key_changes (revision) select value from api_key_revision',
      `create function note_key_change() returns trigger language plpgsql as $$
         begin
           insert into api_key_changes (revision) values (new.value)
             on conflict (revision) do update set id = gen_random_uuid();
           return null;
         end $$`,
      `create trigger api_key_changed after update on api_key_revision
         for each row execute function note_key_change()`,
    ],
  },
]

/** Further limits of a key. Replicas of 0.1.0 ignore them. */
export const keyLimitMigrations: readonly Migration[] = [
  {
    name: 'key limits',
    statements: [
      `alter table api_keys
         add column burst int, add column quota_per_day int, add column quota_per_month int, add column allow text[]`,
    ],
    since: '0.2.0',
    worksWith: '0.1.0',
    undo: [
      `alter table api_keys
         drop column burst, drop column quota_per_day, drop column quota_per_month, drop column allow`,
    ],
    loses: 'burst limits, quotas and allow-lists of keys',
  },
]

/** A key that is deleted by hand has no revision, so the deletion gets one. */
export const keyDeletionMigrations: readonly Migration[] = [
  {
    name: 'key deletions',
    statements: [
      `create function note_key_deletion() returns trigger language plpgsql as $$
         begin
           update api_key_revision set value = value + 1;
           return null;
         end $$`,
      `create trigger api_key_deleted after delete or truncate on api_keys
         for each statement execute function note_key_deletion()`,
    ],
    since: '0.2.0',
    worksWith: '0.1.0',
    undo: ['drop trigger api_key_deleted on api_keys', 'drop function note_key_deletion()'],
    loses: 'the notice that keys were deleted by hand',
  },
]
