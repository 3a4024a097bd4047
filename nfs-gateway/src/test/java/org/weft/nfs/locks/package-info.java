/** Tests of the lock manager that need no cluster. */
package org.weft.nfs.locks;
