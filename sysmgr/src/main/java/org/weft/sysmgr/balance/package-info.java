/** How the OSDs of a BladeSet come to hold equal shares (P 6.8c). Pure. */
package org.weft.sysmgr.balance;
