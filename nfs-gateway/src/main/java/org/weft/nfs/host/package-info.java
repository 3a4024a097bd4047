/**
 * Users and groups as the host knows them (getent): asked on threads of their own, within a time,
 * and remembered.
 */
package org.weft.nfs.host;
