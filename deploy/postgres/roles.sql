-- Run by the image of PostgreSQL once, when its volume is empty. Pagegrade owns its database and nothing else: a
-- statement that slips in there could not read files, run programs or make users, as one of the superuser could.
\set password `cat /run/secrets/database_password`
CREATE ROLE pagegrade LOGIN PASSWORD :'password';
CREATE DATABASE pagegrade OWNER pagegrade;
REVOKE ALL ON DATABASE pagegrade FROM PUBLIC;
