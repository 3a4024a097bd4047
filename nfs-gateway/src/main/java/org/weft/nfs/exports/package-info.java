/**
 * What is exported, to which hosts and as which users: the table of exports, handles that name a
 * file inside an export, the numbers of users and groups, and the check of every request against
 * all of them. Knows no version of NFS.
 */
package org.weft.nfs.exports;
