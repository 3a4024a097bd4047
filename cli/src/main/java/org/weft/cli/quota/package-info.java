/** {@code weft quota}: what directory trees may hold. */
package org.weft.cli.quota;
