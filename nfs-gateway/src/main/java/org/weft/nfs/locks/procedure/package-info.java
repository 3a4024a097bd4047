/** The procedures of the lock manager, one class each, in both of their forms. */
package org.weft.nfs.locks.procedure;
