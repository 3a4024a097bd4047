/** {@code weft sysmgr member}: who SysMgr's members are, and changes of them. */
package org.weft.cli.member;
