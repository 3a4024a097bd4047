/**
 * Access control lists of nodes. It has what is kept beside a mode, which rights users have by it,
 * and how a list changes. Pure; single-threaded callers.
 */
package org.weft.metadata.acl;
