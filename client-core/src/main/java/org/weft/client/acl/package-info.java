/** Access control lists as programs see them. */
package org.weft.client.acl;
