/**
 * What strangers try who reach a manager's port: they state other sessions' numbers, send captured
 * bytes again, guess handles, claim control connections. Real sockets and a real manager in this
 * process; SysMgr and OSDs are fakes, for none of these attacks comes to them.
 */
package org.weft.it.attack;
