/** {@code weft sysmgr member}: SysMgr's members, and changes of them. */
package org.weft.cli.member;
