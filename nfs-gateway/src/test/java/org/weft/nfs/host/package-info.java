/** Tests of what the host says of users and groups. */
package org.weft.nfs.host;
