/**
 * What is exported, to which hosts and as which users. It has the table of exports, handles that
 * name a file inside an export, and the numbers of users and groups. Every request is checked
 * against all of them. Knows no version of NFS.
 */
package org.weft.nfs.exports;
