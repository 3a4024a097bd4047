/**
 * Where a client finds the port of a program: RFC 1833. Either our own server for port 111, or a
 * registration with the one that the host runs.
 */
package org.weft.nfs.portmap;
