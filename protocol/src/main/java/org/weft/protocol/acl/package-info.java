/** Access control lists as clients and managers name them. */
package org.weft.protocol.acl;
