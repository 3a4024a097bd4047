/** What the commands say about themselves: completion for shells, and the page of all commands. */
package org.weft.cli.manual;
