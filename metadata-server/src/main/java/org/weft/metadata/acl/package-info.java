/**
 * Access control lists of nodes: what is kept beside a mode, who may do what by it, and how a list
 * changes. Pure; single-threaded callers.
 */
package org.weft.metadata.acl;
