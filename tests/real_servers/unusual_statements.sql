-- One statement in each line. A server refuses those that it does not know.
create database d1
use d1
create table t (id int auto_increment primary key, a int, b varchar(20)) engine=InnoDB
create table m (id int auto_increment primary key, a int) engine=MyISAM
create table mem (a int) engine=MEMORY
insert into t(a) values (1),(2)
insert into m(a) values (1),(2)
insert into mem values (1)
insert into t(a) values (rand()*10)
set @u=5
insert into t(a) values (@u)
insert into m(a) values (@u),(last_insert_id())
begin
insert into t(a) values (7)
savepoint s1
insert into t(a) values (@u)
rollback to s1
insert into t(a) values (rand())
commit
begin
insert into t(a) values (7)
insert into m(a) values (@u)
rollback
create trigger tr before insert on t for each row begin insert into m(a) values (new.a); end
insert into t(a) values (11),(12)
create trigger tr2 after delete on t for each row begin savepoint ss; insert into m(a) values (1); rollback to ss; end
delete from t where id<3
drop trigger if exists tr2
create procedure p() begin declare i int default 0; while i<3 do insert into t(a) values (i); set i=i+1; end while; end
call p()
begin
call p()
rollback
create function f() returns int deterministic begin insert into m(a) values (99); return 1; end
select f()
insert into t(a) select f()
insert into m(id,a) values (100,1),(1,1),(101,1)
insert ignore into m(id,a) values (200,1),(1,1),(201,1)
replace into m(id,a) values (1,5)
insert into m(id,a) values (1,5) on duplicate key update a=a+1
create temporary table tmp (a int)
insert into tmp values (1)
insert into t(a) select a from tmp
create table c1 select * from t
create table c2 engine=MyISAM select * from m
create table c3 like t
alter table c1 add column z int
rename table c1 to c4
truncate table c4
drop table if exists c2,c3,nonexist
drop table c4
update t,m set t.a=5,m.a=6 where t.id=m.id
delete t,m from t,m where t.id=m.id
xa start 'x1'
insert into t(a) values (50)
xa end 'x1'
xa prepare 'x1'
xa commit 'x1'
xa start 'x2'
insert into t(a) values (51)
xa end 'x2'
xa prepare 'x2'
xa rollback 'x2'
xa start 'x3'
insert into t(a) values (52)
xa end 'x3'
xa commit 'x3' one phase
xa start 'x4'
xa end 'x4'
xa prepare 'x4'
xa commit 'x4'
create sequence s
select nextval(s)
insert into t(a) values (nextval(s))
drop sequence s
create or replace table t9 (a int)
create or replace view v as select 1
drop view v
create user u1@localhost
grant select on d1.* to u1@localhost
drop user u1@localhost
analyze table t
optimize table t
flush tables
flush logs
repair table m
set binlog_format=statement
insert into t(a) values (uuid_short())
update t set a=a+1 limit 1
set binlog_format=mixed
insert into t(a) values (uuid_short())
insert into t(b) values (uuid())
insert into t(a) values (3)
set binlog_format=row
begin
insert into t(a) values (1)
create temporary table tt2(a int)
insert into t(a) values (2)
drop temporary table tt2
commit
set binlog_format=statement
begin
insert into t(a) values (@u)
create temporary table tt2(a int)
insert into tt2 values (1)
insert into t(a) select a from tt2
drop temporary table tt2
commit
load data infile '{file}' into table t (a)
begin
load data infile '{file}' into table t (a)
commit
load data infile '{file}' into table m (a)
begin
update t set a=a+1
delete from m
commit
handler t open
handler t read first
handler t close
lock tables t write, m write
insert into t(a) values (1)
insert into m(a) values (1)
unlock tables
set autocommit=0
insert into t(a) values (1)
insert into m(a) values (1)
create table ai (a int)
insert into t(a) values (2)
commit
set autocommit=1
prepare st from 'insert into t(a) values (?)'
set @q=3
execute st using @q
execute st using @q
create event e on schedule every 1 day do select 1
drop event e
insert delayed into m(a) values (1)
drop database d1
