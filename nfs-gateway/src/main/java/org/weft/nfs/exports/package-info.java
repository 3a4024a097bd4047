/**
 * What is exported, to whom and as whom: the table of exports, handles that name a file inside an
 * export, the numbers of users and groups, and the check of every request against all of them.
 * Knows no version of NFS.
 */
package org.weft.nfs.exports;
