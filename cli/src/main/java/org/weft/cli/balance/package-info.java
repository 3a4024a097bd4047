/** {@code weft balance}: OSDs come to hold equal shares. */
package org.weft.cli.balance;
